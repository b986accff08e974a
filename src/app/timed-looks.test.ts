import { describe, expect, it, jest } from '@jest/globals';
import { Clock } from './clock.js';
import { TimedLooks } from './timed-looks.js';

/** What was looked at, with the time in seconds. */
type Look = readonly [seconds: number, clusters: readonly number[] | 'all'];

/** Runs looks in played time, of which `next` says what is due next, and `failing` when places fail. */
async function played(
  seconds: number,
  {
    next = () => undefined,
    fails = () => false,
    at = {},
  }: {
    readonly next?: (now: number) => number | undefined;
    readonly fails?: (now: number) => boolean;
    readonly at?: Readonly<Record<number, (looks: TimedLooks) => void>>;
  },
): Promise<{ readonly seen: readonly Look[]; readonly failures: number }> {
  jest.useFakeTimers({ now: 0, doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  try {
    const clock = new (class extends Clock {
      override now(): Date {
        return new Date(Date.now());
      }
    })();
    const seen: Look[] = [];
    let failures = 0;
    const looks = new TimedLooks({
      look: (clusters, failed) => {
        const now = Date.now() / 1000;
        seen.push([Math.round(now * 10) / 10, clusters ?? 'all']);
        if (fails(now)) {
          failed(new Error('lost'));
          failed(new Error('lost'));
        }
        const at = next(now);
        return Promise.resolve(at === undefined ? undefined : new Date(at * 1000));
      },
      clock,
      failed: () => failures++,
    });
    looks.start();
    for (let tenth = 0; tenth < seconds * 10; tenth++) {
      at[tenth / 10]?.(looks);
      await jest.advanceTimersByTimeAsync(100);
    }
    await looks.stop();
    return { seen, failures };
  } finally {
    jest.useRealTimers();
  }
}

const trailOf = (clusterId: number) => ({ type: 'trail', clusterId }) as const;

describe('looks at what is due', () => {
  it('are rare while nothing is', async () => {
    const { seen } = await played(61, {});
    expect(seen).toEqual([[0, 'all'], [30, 'all'], [60, 'all']]); // prettier-ignore
  });

  it('come when the next thing is due', async () => {
    const { seen } = await played(10, { next: (now) => (now < 4 ? 4 : undefined) });
    expect(seen).toEqual([[0, 'all'], [4, 'all']]); // prettier-ignore
  });

  it('repeat what is due and could not be done, once a second', async () => {
    const { seen } = await played(3.5, { next: () => 0 });
    expect(seen.map(([at]) => Math.round(at))).toEqual([0, 1, 2, 3]);
  });

  it('are at clusters of which is heard, soon and together, a second apart', async () => {
    const { seen } = await played(10, {
      at: {
        2: (looks) => looks.hear(trailOf(7)),
        2.3: (looks) => looks.hear({ type: 'head', clusterId: 8, revision: 2, isMadeHere: true }),
        2.5: (looks) => {
          looks.hear(trailOf(9));
          looks.hear({ type: 'head', clusterId: 10, revision: 2 });
        },
      },
    });
    expect(seen).toEqual([[0, 'all'], [2.1, [7]], [3.1, [8, 9]]]); // prettier-ignore
  });

  it('remember what is due in a cluster of which is heard', async () => {
    const { seen } = await played(10, {
      next: (now) => (now > 2 && now < 5 ? 5 : undefined),
      at: { 2: (looks) => looks.hear(trailOf(7)) },
    });
    expect(seen).toEqual([[0, 'all'], [2.1, [7]], [5, 'all']]); // prettier-ignore
  });

  it('come again soon, and say once why, while something cannot be looked at', async () => {
    const { seen, failures } = await played(16, { fails: (now) => now < 9 });
    expect(seen).toEqual([[0, 'all'], [5, 'all'], [10, 'all']]); // prettier-ignore
    expect(failures).toBe(2);
  });

  it('are at all clusters when events may have been missed', async () => {
    const { seen } = await played(5, { at: { 3: (looks) => looks.lookAtAll() } });
    expect(seen).toEqual([[0, 'all'], [3, 'all']]); // prettier-ignore
  });
});
