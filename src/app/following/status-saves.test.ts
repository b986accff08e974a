import { describe, expect, it } from '@jest/globals';
import type { StatusMarks } from './follow-status.js';
import { StatusSaves } from './status-saves.js';

const marksOf = (...given: readonly (readonly [states: number, moves: number])[]): ReadonlyMap<number, StatusMarks> =>
  new Map(given.map(([states, moves], index) => [index + 1, { states, moves }]));

/** Saves what is due. */
function round(saves: StatusSaves, marks: ReadonlyMap<number, StatusMarks>): readonly number[] {
  const due = saves.due(marks);
  for (const id of due) saves.note(id, marks.get(id)!);
  return due;
}

describe('StatusSaves', () => {
  it('saves what has another state at once, and what has only moved in turn', () => {
    const saves = new StatusSaves(2);
    expect(round(saves, marksOf([0, 0], [0, 0], [0, 0]))).toEqual([1, 2, 3]);
    expect(round(saves, marksOf([0, 0], [0, 0], [0, 0]))).toEqual([]);
    expect(round(saves, marksOf([0, 1], [0, 1], [0, 1]))).toEqual([1, 2]);
    expect(round(saves, marksOf([0, 2], [0, 2], [0, 1]))).toEqual([3, 1]);
    expect(round(saves, marksOf([0, 2], [1, 3], [1, 2]))).toEqual([2, 3]);
  });

  it('saves anew what was followed anew', () => {
    const saves = new StatusSaves();
    round(saves, marksOf([0, 0]));
    saves.forget(1);
    expect(saves.due(marksOf([0, 0]))).toEqual([1]);
  });
});
