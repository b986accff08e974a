/** A type with all of its members required, however deep, so that a member that only one of two types has shows. */
type Complete<Value> = Value extends number
  ? number
  : Value extends string | bigint | boolean | null | undefined
    ? Value
    : Value extends readonly (infer Item)[]
      ? readonly Complete<Item>[]
      : { readonly [Name in keyof Value]-?: Complete<Exclude<Value[Name], undefined>> };

/**
 * `true` where a declared form takes every value of a type of the core, and neither has a member that the other lacks; else an error of the
 * compiler wherever it is used as the type of `true`.
 */
export type SameForm<Core, Declared> = [Core] extends [Declared]
  ? [Complete<Core>] extends [Complete<Declared>]
    ? [Complete<Declared>] extends [Complete<Core>]
      ? true
      : 'the contract declares what the core does not have'
    : 'the contract lacks a member'
  : 'the contract does not take every value of the core';

/** The form of a union that has a value of its discriminator. */
export type FormOf<Forms, Discriminator extends string, Value extends string> =
  Forms extends Readonly<Record<Discriminator, infer Values>> ? (Value extends Values ? Forms : never) : never;

/** `true` for no name at all; else the names, which are an error of the compiler wherever this is used as the type of `true`. */
export type NoneOf<Names> = [Names] extends [never] ? true : Names;
