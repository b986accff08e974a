import type { Dice } from './dice.js';

/** Runs computations in turn, as the event loop does: a random one takes each next step. @returns their results, in the given order */
export function interleaved<Result>(all: readonly Generator<undefined, Result>[], dice: Dice): readonly Result[] {
  const results = new Map<number, Result>();
  const left = [...all.keys()];
  while (left.length > 0) {
    const at = dice.below(left.length);
    const index = left[at]!;
    const step = all[index]!.next();
    if (step.done !== true) continue;
    results.set(index, step.value);
    left.splice(at, 1);
  }
  return Array.from(all.keys(), (index) => results.get(index)!);
}
