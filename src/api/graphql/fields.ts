import { Mutation as NestMutation, Query as NestQuery, ResolveField as NestResolveField } from '@nestjs/graphql';

/** What Nest accepts as a type: a class, a scalar, or a list of one. */
type TypeFunction = Parameters<typeof NestMutation>[0] & (() => unknown);

interface FieldOptions {
  readonly name?: string;
  readonly description: string;
  /** For a list, whether its items may be null too. */
  readonly nullable?: 'itemsAndList';
}

/*
 * Fields with their own resolvers. All of them are nullable: an error makes the field null and adds an entry with its
 * path to `errors`. If the field were not nullable, GraphQL would null its parent, and at the root the whole response,
 * so that the results of other fields, mutations included, would be lost.
 */

/** A field of `Query`. */
export function Query(type: TypeFunction, options: FieldOptions): MethodDecorator {
  return NestQuery(type, { nullable: true, ...options });
}

/** A field of `Mutation`. */
export function Mutation(type: TypeFunction, options: FieldOptions): MethodDecorator {
  return NestMutation(type, { ...options, nullable: true });
}

/** A field of another type. Without a type argument, it is the member of this name that is declared with its object. */
export function ResolveField(type?: TypeFunction, options?: FieldOptions): MethodDecorator {
  return type === undefined ? NestResolveField() : NestResolveField(type, { ...options, nullable: true });
}
