import type { CelType } from './types.js';
import type { Value } from './values.js';

/** One signature of a function, and what it does. */
export interface Overload {
  /** Upstream's name of it. */
  readonly id: string;
  /** The receiver first, where it is called as a method. */
  readonly args: readonly CelType[];
  readonly result: CelType;
  readonly isMember: boolean;
  /** Absent where the function has one implementation for all signatures, or is evaluated in a way of its own. */
  readonly run?: (...args: Value[]) => Value;
}

/** A function with all its signatures, in the order in which they are tried. */
export interface CelFunction {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /**
   * The implementation of all signatures; undefined is for a first argument of a type that does not have the function, which is an
   * error that names it.
   */
  readonly run?: (...args: Value[]) => Value | undefined;
  /** Called whatever the types of its arguments are. */
  readonly isUnguarded?: true;
}

export const overload = (id: string, args: readonly CelType[], result: CelType, run?: Overload['run']): Overload => ({
  id,
  args,
  result,
  isMember: false,
  ...(run && { run }),
});

export const method = (id: string, args: readonly CelType[], result: CelType, run?: Overload['run']): Overload => ({
  ...overload(id, args, result, run),
  isMember: true,
});

/** Functions of several libraries: those of the same name become one, with the signatures of the first library first. */
export function mergeFunctions(libraries: readonly (readonly CelFunction[])[]): ReadonlyMap<string, CelFunction> {
  const merged = new Map<string, CelFunction>();
  for (const added of libraries.flat()) {
    const known = merged.get(added.name);
    merged.set(
      added.name,
      known === undefined ? added : { ...known, ...added, overloads: [...known.overloads, ...added.overloads] },
    );
  }
  return merged;
}
