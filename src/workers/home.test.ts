import { describe, expect, it } from '@jest/globals';
import { workerFor, workerToRelieve, type WorkerLoad } from './home.js';

const idle = (count: number): WorkerLoad[] =>
  Array.from({ length: count }, (_, index) => ({ index, utilization: 0, connections: 0 }));
const names = Array.from({ length: 1000 }, (_, number) => `cluster-${number}`);
const homes = (workers: readonly WorkerLoad[]): number[] => names.map((name) => workerFor(name, workers, 99).index);

describe('workerFor', () => {
  it('spreads clusters evenly, and a cluster has one home however busy the others are', () => {
    const counts = [0, 0, 0, 0];
    for (const home of homes(idle(4))) counts[home]! += 1;
    for (const count of counts) {
      expect(count).toBeGreaterThan(200);
      expect(count).toBeLessThan(300);
    }
    const others = idle(4).map((worker) => ({ ...worker, connections: worker.index * 7, utilization: 0.7 }));
    expect(homes(others)).toEqual(homes(idle(4)));
  });

  it('moves only the clusters of a worker that is gone, and of one that is added', () => {
    const of4 = homes(idle(4));
    const without2 = homes(idle(4).filter(({ index }) => index !== 2));
    of4.forEach((home, at) => {
      if (home !== 2) expect(without2[at]).toBe(home);
    });
    const of5 = homes(idle(5));
    of5.forEach((home, at) => {
      if (home !== 4) expect(of4[at]).toBe(home);
    });
  });

  it('gives a cluster a second home while its first one is busy and another is not', () => {
    const { index: home } = workerFor('shop', idle(3), 3);
    const busy = (utilization: number, ofHome = 0.95): WorkerLoad[] =>
      idle(3).map((worker) => ({ ...worker, utilization: worker.index === home ? ofHome : utilization }));
    expect(workerFor('shop', busy(0, 0.75), 3).index).toBe(home);
    const second = workerFor('shop', busy(0.1), 3).index;
    expect(second).not.toBe(home);
    expect(workerFor('shop', busy(0.1), 3).index).toBe(second);
    expect(workerFor('shop', busy(0.1), 2).index).toBe(second);
    expect(workerFor('shop', busy(0.1), 1).index).toBe(home);
    expect(workerFor('shop', busy(0.7), 3).index).toBe(home);
    expect(workerFor('shop', busy(0.9), 3).index).toBe(home);
  });

  it('gives a connection of which nothing is known to the worker with the fewest', () => {
    const workers = idle(3).map((worker) => ({ ...worker, connections: [4, 1, 2][worker.index]! }));
    expect(workerFor(undefined, workers, 1).index).toBe(1);
  });
});

describe('workerToRelieve', () => {
  const of = (...loads: readonly (readonly [utilization: number, connections: number])[]) =>
    workerToRelieve(loads.map(([utilization, connections], index) => ({ index, utilization, connections })))?.index;

  it('is a busy one, if another has time and there is something to give', () => {
    expect(of([0.2, 5], [0.97, 40])).toBe(1);
    expect(of([0.75, 5], [0.97, 40])).toBeUndefined();
    expect(of([0.1, 5], [0.6, 40])).toBeUndefined();
    expect(of([0.1, 0], [1, 1])).toBeUndefined();
  });
});
