import { expect, it } from '@jest/globals';
import type { StoredObject } from '../../storage/object-reader.js';
import type { KindCounts, Revision } from '../../storage/revision.js';
import { RevisionsInTurn } from './revisions-in-turn.js';

const LAST = 120;

/** Revisions up to 120, of which 7 is gone, that changed so many pods each. */
function setUp(changedIn: (number: number) => number) {
  const read: string[] = [];
  const counts = (changed: number): ReadonlyMap<string, KindCounts> =>
    new Map([
      ['Pod', { added: 1_000, changed, removed: 0, unchanged: 0 }],
      ['Node', { added: 0, changed: 5_000, removed: 0, unchanged: 0 }],
    ]);
  const numbers = (first: number, last: number): readonly number[] =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const turn = new RevisionsInTurn(
    {
      between: (_, first, last) => {
        read.push(`revisions ${first} to ${last}`);
        const found = numbers(first, last).filter((number) => number !== 7);
        return Promise.resolve(
          new Map(found.map((number) => [number, { number, counts: counts(changedIn(number)) } as Revision])),
        );
      },
    },
    {
      endedBy: (_, revisions, kinds) => {
        read.push(`${kinds.join()} ended by ${revisions[0]} to ${revisions.at(-1)}`);
        return Promise.resolve(
          new Map(revisions.map((number) => [number, [{ name: `of ${number}` } as StoredObject]] as const)),
        );
      },
    },
    1,
    1,
    LAST,
    new Set(['Pod']),
  );
  return { turn, read, numbers };
}

it('reads fifty revisions at once, and what they ended when it is asked for', async () => {
  const { turn, read, numbers } = setUp(() => 10);
  for (const number of numbers(1, LAST)) {
    expect((await turn.revision(number))?.number).toBe(number === 7 ? undefined : number);
    if (number % 20 === 0) expect(await turn.former(number)).toEqual([{ name: `of ${number}` }]);
  }
  expect(read).toEqual([
    'revisions 1 to 50',
    'Pod ended by 20 to 50',
    'revisions 51 to 100',
    'Pod ended by 60 to 100',
    'revisions 101 to 120',
    'Pod ended by 120 to 120',
  ]);
});

it('reads a thousand objects at once, or those of one revision that changed more', async () => {
  const { turn, read, numbers } = setUp((number) => (number === 5 ? 3_000 : 300));
  for (const number of numbers(1, 12)) {
    await turn.revision(number);
    await turn.former(number);
  }
  expect(read.slice(1)).toEqual([
    'Pod ended by 1 to 3',
    'Pod ended by 4 to 4',
    'Pod ended by 5 to 5',
    'Pod ended by 6 to 9',
    'Pod ended by 10 to 12',
  ]);
});
