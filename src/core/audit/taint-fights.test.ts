import { describe, expect, it } from '@jest/globals';
import type { Taint } from '../kubernetes/objects/taints.js';
import { FightFinder, type FightMove, type FightOptions, type TaintFight, writerOf } from './taint-fights.js';

const T: Taint = { key: 'dedicated', value: 'ml', effect: 'NoSchedule' };
const at = (minute: number): string =>
  `2026-05-04T${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}:00Z`;

type Word = 'adds' | 'removes' | 'cordons' | 'uncordons' | `sets ${string}`;

/** `[minute, who, what]`, in the order of their records. */
function moves(words: readonly (readonly [number, string | null, Word])[], node = 'n'): FightMove[] {
  return words.map(([minute, who, word], index) => ({
    sequence: index + 1,
    node,
    when: { kind: 'point', at: at(minute) },
    writer: { name: who, identifiedBy: who === null ? 'unknown' : 'user' },
    difference: {
      added: word === 'adds' ? [T] : [],
      removed: word === 'removes' ? [T] : [],
      changed: word.startsWith('sets ') ? [{ before: T, after: { ...T, value: word.slice(5) } }] : [],
      ...(word === 'cordons' && { cordon: 'cordoned' as const }),
      ...(word === 'uncordons' && { cordon: 'uncordoned' as const }),
    },
  }));
}

function fights(given: readonly FightMove[], options: Partial<FightOptions> = {}): readonly TaintFight[] {
  const finder = new FightFinder({ min: 3, windowSeconds: 3600, ...options });
  for (const move of given) finder.add(move);
  return finder.found(true);
}

const FOUR = [
  [0, 'alice', 'adds'],
  [5, 'bot', 'removes'],
  [10, 'alice', 'adds'],
  [15, 'bot', 'removes'],
] as const;

describe('a fight over a taint', () => {
  it('has the writers, the number of turns, the first and last time, and the records', () => {
    expect(fights(moves(FOUR))).toEqual([
      {
        node: 'n',
        what: { key: 'dedicated', effect: 'NoSchedule' },
        writers: [
          { name: 'alice', identifiedBy: 'user', changes: 2 },
          { name: 'bot', identifiedBy: 'user', changes: 2 },
        ],
        turns: 3,
        first: at(0),
        last: at(15),
        records: [1, 2, 3, 4],
        proven: true,
      },
    ]);
  });

  it.each<[string, number, FightMove[], Partial<FightOptions>?]>([
    [
      'over values that are flipped',
      1,
      moves([
        [0, 'a', 'adds'],
        [1, 'b', 'sets x'],
        [2, 'a', 'sets y'],
        [3, 'b', 'sets x'],
      ]),
    ],
    [
      'over a cordon',
      1,
      moves([
        [0, 'a', 'cordons'],
        [1, 'b', 'uncordons'],
        [2, 'a', 'cordons'],
        [3, 'b', 'uncordons'],
      ]),
    ],
    [
      'where one of them also undoes himself',
      1,
      moves([...FOUR.slice(0, 3), [11, 'alice', 'removes'], [12, 'alice', 'adds'], [15, 'bot', 'removes']]),
    ],
    ['as often as the minimum', 1, moves(FOUR.slice(0, 2)), { min: 1 }],
    ['not less often', 0, moves(FOUR.slice(0, 3))],
    ['not with oneself', 0, moves(FOUR.map(([minute, , word]) => [minute, 'bot', word]))],
    ['not slower than the window', 0, moves(FOUR.map(([minute, who, word]) => [minute * 13, who, word]))],
    ['not over the nodes together', 0, [...moves(FOUR.slice(0, 2)), ...moves(FOUR.slice(2), 'm')]],
    [
      'not where two records tell of one change',
      0,
      moves([
        [0, 'alice', 'adds'],
        [1, 'bot', 'adds'],
        [2, 'alice', 'adds'],
        [3, 'bot', 'adds'],
      ]),
    ],
    [
      'twice where there was peace between',
      2,
      moves([...FOUR, ...FOUR.map(([minute, who, word]) => [minute + 600, who, word] as const)]),
    ],
    ['on each node', 2, [...moves(FOUR), ...moves(FOUR, 'm')]],
  ])('is one %s', (...[, count, given, options]) => {
    expect(fights(given, options)).toHaveLength(count);
  });

  it('is not proven if one writer may be the other one', () => {
    const [fight] = fights(moves(FOUR.map(([minute, who, word]) => [minute, who === 'bot' ? null : who, word])));
    expect(fight).toMatchObject({ turns: 3, proven: false });
  });

  it('lists at most a hundred records', () => {
    const long = Array.from({ length: 70 }, (_, index) =>
      FOUR.map(([minute, who, word]) => [index * 20 + minute, who, word] as const),
    );
    const [fight] = fights(moves(long.flat()));
    expect(fight).toMatchObject({ turns: 279 });
    expect(fight!.records).toHaveLength(100);
  });
});

describe('who made a change', () => {
  it.each([
    [{ by: { username: 'alice' } }, { name: 'alice', identifiedBy: 'user' }],
    [
      { actor: { class: 'kubectl', from: 'fieldManager', program: 'kubectl-taint' } as const },
      { name: 'kubectl-taint', identifiedBy: 'fieldManager' },
    ],
    [{ actor: { class: 'unknown', from: 'nothing' } as const }, { name: null, identifiedBy: 'unknown' }],
  ])('%j', (said, writer) => {
    expect(writerOf(said)).toEqual(writer);
  });
});
