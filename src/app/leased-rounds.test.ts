import { afterEach, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import { type Clock, SystemClock } from './clock.js';
import { LeasedRounds, type Leases } from './leased-rounds.js';

const DAY = 86_400_000;
const clock = new SystemClock();
const leases = { lease: () => Promise.resolve(undefined), release: () => Promise.resolve(), leaseMs: DAY };
let rounds: LeasedRounds | undefined;

afterEach(() => rounds?.stop());

/** Rounds that tell of each one that has run. */
function roundsThatTell(
  given: Partial<Leases> = {},
  time: Clock = clock,
): {
  readonly rounds: LeasedRounds;
  readonly ran: () => number;
  readonly next: () => Promise<void>;
} {
  let count = 0;
  let told = (): void => undefined;
  rounds = new LeasedRounds(
    {
      isDue: () => Promise.resolve(true),
      run: () => {
        count++;
        told();
        return Promise.resolve(undefined);
      },
      failed: (error) => {
        throw error;
      },
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
      isDue: (clusterId) => {
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
