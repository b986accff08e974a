import { afterEach, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import { type Clock, SystemClock } from './clock.js';
import type { LeasesOfClusters } from '../storage/leases-of-clusters.js';
import { LeasedRounds } from './leased-rounds.js';

const DAY = 86_400_000;
const clock = new SystemClock();
const leases = { lease: () => Promise.resolve(undefined), release: () => Promise.resolve(), leaseMs: DAY };
let rounds: LeasedRounds<true> | undefined;

afterEach(() => rounds?.stop());

/** Rounds that tell of each one that has run. */
function roundsThatTell(
  given: Partial<LeasesOfClusters> = {},
  time: Clock = clock,
  restMs = 0,
): {
  readonly rounds: LeasedRounds<true>;
  readonly ran: () => number;
  readonly next: () => Promise<void>;
} {
  let count = 0;
  let told = (): void => undefined;
  rounds = new LeasedRounds(
    {
      due: () => Promise.resolve(true as const),
      run: () => {
        count++;
        told();
        return Promise.resolve(undefined);
      },
      failed: (error) => {
        throw error;
      },
      restMs,
    },
    { ...leases, ...given },
    time,
  );
  rounds.start();
  return {
    rounds,
    ran: () => count,
    next: () =>
      new Promise((resolve) => {
        told = resolve;
      }),
  };
}

it('looks at a cluster within the time, once for all that ask meanwhile', async () => {
  const { rounds, ran, next } = roundsThatTell();
  const done = next();
  rounds.lookWithin(1, 1);
  rounds.lookWithin(1, 1);
  await done;
  expect(ran()).toBe(1);
});

it('looks at once when a head is heard of, although there was time', async () => {
  const { rounds, ran, next } = roundsThatTell();
  rounds.lookWithin(1, DAY);
  const done = next();
  rounds.hear({ type: 'head', clusterId: 1, revision: 2 });
  await done;
  expect(ran()).toBe(1);
});

it('looks again later after a look at once', async () => {
  const { rounds, ran, next } = roundsThatTell();
  const first = next();
  rounds.hear({ type: 'head', clusterId: 1, revision: 2 });
  await first;
  const second = next();
  rounds.lookWithin(1, 1);
  await second;
  expect(ran()).toBe(2);
});

it('extends its lease once a third of its time is over, or the clock was set back', async () => {
  const asked: number[] = [];
  const lease = (clusterId: number): Promise<undefined> => {
    asked.push(clusterId);
    return Promise.resolve(undefined);
  };
  const time = new ManualClock();
  const { rounds, next } = roundsThatTell({ lease, leaseMs: 30_000 }, time);
  const round = (clusterId: number): Promise<void> => {
    const ran = next();
    rounds.hear({ type: 'head', clusterId, revision: 1 });
    return ran;
  };
  await round(1);
  await round(2);
  expect(asked).toEqual([1, 2]);
  time.pass(9.9);
  await round(1);
  expect(asked).toEqual([1, 2]);
  time.pass(0.1);
  await round(1);
  await round(1);
  expect(asked).toEqual([1, 2, 1]);
  time.pass(-1);
  await round(1);
  expect(asked).toEqual([1, 2, 1, 1]);
});

it('looks twice at once, and then again once the cluster has rested, for all heads that came meanwhile', async () => {
  const { rounds, ran, next } = roundsThatTell({}, clock, 150);
  const heads = (count: number): void => {
    for (let revision = 1; revision <= count; revision++) rounds.hear({ type: 'head', clusterId: 1, revision });
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  for (const round of [1, 2]) {
    heads(1);
    await settled();
    expect(ran()).toBe(round);
  }
  const third = next();
  heads(20);
  await settled();
  expect(ran()).toBe(2);
  await third;
  const fourth = next();
  heads(1);
  await fourth;
  expect(ran()).toBe(4);
});

it.each([
  ['rests', 1, 2],
  ['has rested', 10, 3],
  ['would have to rest for longer than ever, because the clock was set back', -1, 3],
])('a cluster that %s after %i s has had %i rounds', async (_, seconds, count) => {
  const time = new ManualClock();
  const { rounds, ran } = roundsThatTell({}, time, 10_000);
  const head = async (revision: number): Promise<void> => {
    rounds.hear({ type: 'head', clusterId: 1, revision });
    await new Promise((resolve) => setImmediate(resolve));
  };
  await head(1);
  await head(2);
  time.pass(seconds);
  await head(3);
  expect(ran()).toBe(count);
});

it('looks at once at a cluster that changes now and then', async () => {
  const time = new ManualClock();
  const { rounds, ran } = roundsThatTell({}, time, 10_000);
  for (let revision = 1; revision <= 5; revision++) {
    rounds.hear({ type: 'head', clusterId: 1, revision });
    await new Promise((resolve) => setImmediate(resolve));
    expect(ran()).toBe(revision);
    time.pass(20);
  }
});

it('asks what is due again when it has got the lease, because another replica may have done it', async () => {
  const due = [true, undefined];
  const ran: number[] = [];
  const asked = new Promise<void>((resolve) => {
    rounds = new LeasedRounds(
      {
        due: () => {
          const answer = due.shift() as true | undefined;
          if (due.length === 0) resolve();
          return Promise.resolve(answer);
        },
        run: (clusterId) => {
          ran.push(clusterId);
          return Promise.resolve(undefined);
        },
        failed: (error) => {
          throw error;
        },
      },
      leases,
      clock,
    );
  });
  rounds!.start();
  rounds!.hear({ type: 'head', clusterId: 1, revision: 1 });
  await asked;
  await rounds!.stop();
  expect(ran).toEqual([]);
});

it('asks for the lease of another replica once in a third of its time, however many heads come', async () => {
  const time = new ManualClock();
  const asked: number[] = [];
  const { rounds } = roundsThatTell(
    {
      lease: (clusterId) => {
        asked.push(clusterId);
        return Promise.resolve(new Date(time.now().getTime() + 30_000));
      },
      leaseMs: 30_000,
    },
    time,
  );
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  for (let second = 0; second < 21; second++) {
    rounds.hear({ type: 'head', clusterId: 1, revision: second });
    await settled();
    time.pass(1);
  }
  expect(asked).toEqual([1, 1, 1]);
});

it('asks for its lease again when that of another replica ends', async () => {
  const held: (Date | undefined)[] = [new Date(Date.now() + 1), undefined];
  const asked: number[] = [];
  const { rounds, ran, next } = roundsThatTell({
    lease: (clusterId) => {
      asked.push(clusterId);
      return Promise.resolve(held.shift());
    },
  });
  const done = next();
  rounds.hear({ type: 'head', clusterId: 1, revision: 1 });
  await done;
  expect([asked, ran()]).toEqual([[1, 1], 1]);
});

it('works on eight clusters at the same time, and on none of those that wait when it is stopped', async () => {
  const ran: number[] = [];
  const open: (() => void)[] = [];
  const due = new Set<number>();
  const many = new LeasedRounds(
    {
      due: (clusterId: number) => {
        due.add(clusterId);
        return Promise.resolve(true);
      },
      run: (clusterId) => {
        ran.push(clusterId);
        return new Promise((resolve) => open.push(() => resolve(undefined)));
      },
      failed: (error) => {
        throw error;
      },
    },
    leases,
    clock,
  );
  many.start();
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  for (let clusterId = 1; clusterId <= 20; clusterId++) many.hear({ type: 'head', clusterId, revision: 1 });
  await settled();
  expect(due.size).toBe(20);
  expect(ran).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  open.shift()!();
  await settled();
  expect(ran).toHaveLength(9);
  const stopped = many.stop();
  for (const end of open) end();
  await stopped;
  expect(ran).toHaveLength(9);
});
