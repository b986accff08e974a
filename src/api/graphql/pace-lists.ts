import {
  defaultFieldResolver,
  getNamedType,
  getNullableType,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isIntrospectionType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql';
import { Slices } from '../../event-loop/slices.js';

/** Lists of at most so many objects, such as the tolerations of a pod, are completed in one go. */
const SHORT = 32;

/**
 * Lets other work run between the items of long lists of objects. What is selected of all items would be read in one go: 1,000 pods
 * with all of their fields held the event loop for 0.2 s.
 */
export function paceLists(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (!isListType(getNullableType(field.type)) || isLeafType(getNamedType(field.type))) continue;
      field.resolve = pacing(field.resolve ?? defaultFieldResolver);
    }
  }
  return schema;
}

const pacing =
  (resolve: GraphQLFieldResolver<unknown, unknown>): GraphQLFieldResolver<unknown, unknown> =>
  (...given) => {
    const value = resolve(...given);
    return value instanceof Promise ? value.then(paced) : paced(value);
  };

function paced(value: unknown): unknown {
  if (!Array.isArray(value) || value.length <= SHORT) return value;
  const pace = new Pace();
  return value.map((item: unknown) => new InTurn(item, pace));
}

/** Turns, one after the other, in time slices. */
class Pace {
  private readonly slices = new Slices();
  private last: Promise<void> = Promise.resolve();

  turn(): Promise<void> {
    return (this.last = this.last.then(() => (this.slices.due() ? this.slices.pause() : undefined)));
  }
}

/** An item of a list, once it is its turn. The turns begin when GraphQL asks for the items, however long that is after the list was made. */
class InTurn implements PromiseLike<unknown> {
  constructor(
    private readonly item: unknown,
    private readonly pace: Pace,
  ) {}

  then<Made = unknown, Failed = never>(
    made?: ((item: unknown) => Made | PromiseLike<Made>) | null,
    failed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Made | Failed> {
    return this.pace
      .turn()
      .then(() => this.item)
      .then(made, failed);
  }
}
