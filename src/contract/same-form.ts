/** A type with all of its members required at every depth, which reveals a member that only one of two types has. */
type Complete<Value> = Value extends number
  ? number
  : Value extends string | bigint | boolean | null | undefined
    ? Value
    : Value extends readonly (infer Item)[]
      ? readonly Complete<Item>[]
      : { readonly [Name in keyof Value]-?: Complete<Exclude<Value[Name], undefined>> };

/**
 * `true` if a declared form takes every value of a core type, and neither has a member that the other lacks; otherwise a text, so that
 * `true satisfies SameForm<...>` does not compile.
 */
export type SameForm<Core, Declared> = [Core] extends [Declared]
  ? [Complete<Core>] extends [Complete<Declared>]
    ? [Complete<Declared>] extends [Complete<Core>]
      ? true
      : 'the contract declares what the core does not have'
    : 'the contract lacks a member'
  : 'the contract does not take every value of the core';

/** The form of a union for one value of its discriminator. */
export type FormOf<Forms, Discriminator extends string, Value extends string> =
  Forms extends Readonly<Record<Discriminator, infer Values>> ? (Value extends Values ? Forms : never) : never;

/** `true` if there are no names; otherwise the names, so that `true satisfies NoneOf<...>` does not compile. */
export type NoneOf<Names> = [Names] extends [never] ? true : Names;
