import { describe, expect, it } from '@jest/globals';
import { collected } from '../../../test/support/collected.js';
import { clusterOfPools, evaluated } from '../../../test/support/evaluated-pod.js';
import { ClusterState } from '../../core/cluster/cluster-state.js';
import { EvaluatedPlacement } from './evaluated-placement.js';
import { EvaluatedPlacements } from './evaluated-placements.js';
import type { JsonParts } from './json-parts.js';

const states = (count: number): ClusterState[] =>
  Array.from({ length: count }, (_, i) =>
    ClusterState.build([{ apiVersion: 'v1', kind: 'Node', metadata: { name: `n${i}` } }], ['Node', 'Pod']),
  );

describe('cached evaluations', () => {
  it('exclude requests that occurred once', () => {
    const [state] = states(1) as [ClusterState];
    const known = new EvaluatedPlacements();
    let made = 0;
    const ask = (): EvaluatedPlacement =>
      known.get(state, 'a', () => {
        made += 1;
        return evaluated(state, 1);
      });
    const first = ask();
    const second = ask();
    expect(second).not.toBe(first);
    expect(ask()).toBe(second);
    expect(made).toBe(2);
  });

  it('serve a request that occurs twice on the same state', () => {
    const [first, second] = states(2) as [ClusterState, ClusterState];
    const known = new EvaluatedPlacements();
    known.get(first, 'a', () => evaluated(first, 1));
    const found = known.get(first, 'a', () => evaluated(first, 1));
    const never = (): EvaluatedPlacement => {
      throw new Error('is known');
    };
    expect(known.get(first, 'a', never)).toBe(found);
    expect(() => known.get(first, 'b', never)).toThrow('is known');
    expect(() => known.get(second, 'a', never)).toThrow('is known');
  });

  it.each([
    ['of one state', 1],
    ['of many states', 50],
  ])('%s are evicted, least recently used first, before they fill the memory', (_, count) => {
    const all = states(count);
    const known = new EvaluatedPlacements();
    const model = evaluated(all[0]!, 2000);
    let made = 0;
    const asked = new Set<number>();
    const ask = (question: number): void => {
      // A request that occurred once is not cached.
      if (!asked.has(question)) {
        asked.add(question);
        known.get(all[question % count]!, String(question), () => model);
      }
      known.get(all[question % count]!, String(question), () => {
        made += 1;
        return model;
      });
    };
    for (let question = 0; question < 200; question += 1) {
      ask(question);
      ask(0);
    }
    expect(made).toBe(200);
    ask(199);
    expect(made).toBe(200);
    ask(1);
    expect(made).toBe(201);
  });

  it('stay if more requests than fit occur in turn', () => {
    const [state] = states(1) as [ClusterState];
    const known = new EvaluatedPlacements();
    const model = evaluated(state, 2000);
    const rounds = Array.from({ length: 4 }, () => {
      let made = 0;
      for (let question = 0; question < 200; question += 1) {
        known.get(state, String(question), () => {
          made += 1;
          return model;
        });
      }
      return made;
    });
    expect(rounds[0]).toBe(200);
    expect(rounds[1]).toBe(200);
    expect(rounds[2]).toBeLessThan(190);
    expect(rounds[3]).toBe(rounds[2]);
  });

  it('make room if they were not used since the request last occurred', () => {
    const [state] = states(1) as [ClusterState];
    const known = new EvaluatedPlacements();
    const model = evaluated(state, 2000);
    const ask = (question: string): boolean => {
      let isMade = false;
      known.get(state, question, () => {
        isMade = true;
        return model;
      });
      return isMade;
    };
    for (let question = 0; question < 200; question += 1) {
      ask(`old ${question}`);
      ask(`old ${question}`);
    }
    expect([ask('new'), ask('new'), ask('new')]).toEqual([true, true, false]);
  });

  it('take memory by what was read of them', () => {
    const state = clusterOfPools(400);
    const known = new EvaluatedPlacements();
    let made = 0;
    const ask = (question: string): EvaluatedPlacement =>
      known.get(state, question, () => {
        made += 1;
        return evaluated(state, 1);
      });
    const askAll = (name: string, read: (found: EvaluatedPlacement) => void): void => {
      for (let number = 0; number < 120; number += 1) {
        ask(`${name} ${number}`);
        read(ask(`${name} ${number}`));
      }
    };
    // One node of each, as a small page would: all have room.
    askAll('small', (found) => found.node(0));
    expect(made).toBe(240);
    ask('small 0');
    expect(made).toBe(240);
    // 200 distinct explanations of each, a megabyte: not all have room.
    askAll('large', (found) => {
      for (let node = 0; node < 400; node += 1) found.node(node);
    });
    expect(made).toBe(480);
    ask('large 119');
    expect(made).toBe(480);
    ask('large 0');
    expect(made).toBe(481);
  });

  it('never include the largest', () => {
    const [state] = states(1) as [ClusterState];
    const known = new EvaluatedPlacements();
    const large = evaluated(state, 10_000);
    let made = 0;
    for (let i = 0; i < 2; i += 1) {
      known.get(state, 'large', () => {
        made += 1;
        return large;
      });
    }
    expect(made).toBe(2);
  });
});

describe('cached answers', () => {
  const MEGABYTE = 1024 * 1024;
  const json = (bytes: number, shared: readonly Buffer[] = []): JsonParts => ({
    own: Buffer.allocUnsafeSlow(bytes),
    shared,
    at: shared.map(() => 0),
  });
  /** Asks for an answer of so many bytes. @returns whether it was cached */
  const ask = (known: EvaluatedPlacements, state: ClusterState, key: string, bytes: number): boolean => {
    if (known.answer(state, key) !== undefined) return true;
    known.get(state, key, () => evaluated(state, 1), true);
    const before = known.noteAnswer(key);
    if (before !== undefined) known.keepAnswer(state, key, json(bytes), before);
    return false;
  };

  it('serve a request from the third time on, on the same state', () => {
    const [first, second] = states(2) as [ClusterState, ClusterState];
    const known = new EvaluatedPlacements();
    const asked = Array.from({ length: 4 }, () => ask(known, first, 'a', 100));
    expect(asked).toEqual([false, false, true, true]);
    expect(known.answer(second, 'a')).toBeUndefined();
    expect(known.answer(first, 'b')).toBeUndefined();
  });

  it('serve a request again that occurred before many others, but not before many more', () => {
    const [state] = states(1) as [ClusterState];
    const asksAgainAfter = (others: number): boolean => {
      const known = new EvaluatedPlacements();
      ask(known, state, 'a', 100);
      for (let number = 0; number < others; number += 1) ask(known, state, `${number}`, 100);
      ask(known, state, 'a', 100);
      return known.answer(state, 'a') !== undefined;
    };
    expect([1999, 4001].map(asksAgainAfter)).toEqual([true, false]);
  });

  it('take the place of their evaluations, until something else of these is asked', () => {
    const [state] = states(1) as [ClusterState];
    const known = new EvaluatedPlacements();
    const evaluate = (isAnswerKept: boolean): unknown => known.get(state, 'a', () => evaluated(state, 1), isAnswerKept);
    evaluate(false);
    evaluate(true);
    expect(known.has(state, 'a')).toBe(false);
    evaluate(false);
    expect(known.has(state, 'a')).toBe(true);
  });

  it('are evicted, least recently used first, with evaluations, before they fill the memory', () => {
    const [state] = states(1) as [ClusterState];
    const known = new EvaluatedPlacements();
    known.get(state, 'evaluation', () => evaluated(state, 1));
    known.get(state, 'evaluation', () => evaluated(state, 1));
    const askOften = (key: string): boolean => [1, 2, 3].map(() => ask(known, state, key, MEGABYTE)).at(-1)!;
    for (let number = 0; number < 120; number += 1) {
      expect(askOften(`${number}`)).toBe(true);
      expect(ask(known, state, '0', MEGABYTE)).toBe(true);
    }
    expect(known.answer(state, '119')).toBeDefined();
    expect(known.answer(state, '1')).toBeUndefined();
    expect(known.has(state, 'evaluation')).toBe(false);
  });

  it('stay if more than fit occur in turn', () => {
    const [state] = states(1) as [ClusterState];
    const known = new EvaluatedPlacements();
    const rounds = Array.from({ length: 4 }, () => {
      let found = 0;
      for (let number = 0; number < 120; number += 1) if (ask(known, state, `${number}`, MEGABYTE)) found += 1;
      return found;
    });
    expect(rounds.slice(0, 2)).toEqual([0, 0]);
    expect(rounds[2]).toBeGreaterThan(80);
    expect(rounds[3]).toBe(rounds[2]);
  });

  it('never include the largest', () => {
    const [state] = states(1) as [ClusterState];
    const known = new EvaluatedPlacements();
    expect(known.keepAnswer(state, 'a', json(9 * MEGABYTE), 0)).toBe(false);
    expect(known.answer(state, 'a')).toBeUndefined();
  });

  it('count what they share once, until the last of them is evicted', () => {
    const [state] = states(1) as [ClusterState];
    const known = new EvaluatedPlacements();
    const keep = (key: string, answer: JsonParts): boolean => known.keepAnswer(state, key, answer, Infinity);
    const shared = [Buffer.alloc(7 * MEGABYTE), Buffer.alloc(MEGABYTE / 2)];
    for (let number = 0; number < 80; number += 1) expect(keep(`${number}`, json(100, shared))).toBe(true);
    expect(known.answer(state, '0')?.shared).toBe(shared);
    // Beside them there is room for 88 more, but not for 95.
    for (let number = 0; number < 88; number += 1) keep(`large ${number}`, json(MEGABYTE - 1000));
    expect(known.answer(state, '1')).toBeDefined();
    for (let number = 0; number < 96; number += 1) keep(`larger ${number}`, json(MEGABYTE - 1000));
    expect(known.answer(state, '1')).toBeUndefined();
    expect(known.answer(state, 'larger 1')).toBeDefined();
  });

  it('keep nothing in memory of a state that is dropped, once another one has some', async () => {
    const known = new EvaluatedPlacements();
    const keep = (shared: Buffer): ClusterState => {
      const [state] = states(1) as [ClusterState];
      expect(known.keepAnswer(state, 'a', json(100, [shared]), 0)).toBe(true);
      return state;
    };
    const dropped = ((): WeakRef<Buffer> => {
      const shared = Buffer.allocUnsafeSlow(1000);
      keep(shared);
      return new WeakRef(shared);
    })();
    await collected();
    const state = keep(Buffer.allocUnsafeSlow(1000));
    await collected();
    expect(dropped.deref()).toBeUndefined();
    expect(known.answer(state, 'a')).toBeDefined();
  });
});
