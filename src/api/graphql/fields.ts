import { Mutation as NestMutation, Query as NestQuery, ResolveField as NestResolveField } from '@nestjs/graphql';

/** What Nest takes in the place of a type: a class, a scalar, or a list of one. */
type TypeFunction = Parameters<typeof NestMutation>[0] & (() => unknown);

interface FieldOptions {
  readonly name?: string;
  readonly description: string;
  /** Of a list, whether its items may be null too. */
  readonly nullable?: 'itemsAndList';
}

/*
 * Fields that are resolved on their own. All of them are nullable: what goes wrong with one makes it null and adds an error with its
 * path. GraphQL lets the null of a field that may not be null spread to its parent, and at the root to the whole answer, so that
 * the answers of other questions, and of mutations that were made, would be lost.
 */

/** A field of `Query`. */
export function Query(type: TypeFunction, options: FieldOptions): MethodDecorator {
  return NestQuery(type, { nullable: true, ...options });
}

/** A field of `Mutation`. */
export function Mutation(type: TypeFunction, options: FieldOptions): MethodDecorator {
  return NestMutation(type, { ...options, nullable: true });
}

/** A field of another type; without a type it is the member of this name, which is declared with its object. */
export function ResolveField(type?: TypeFunction, options?: FieldOptions): MethodDecorator {
  return type === undefined ? NestResolveField() : NestResolveField(type, { ...options, nullable: true });
}
