import { expect, it } from '@jest/globals';
import { TimeSlices } from './time-slices.js';
import { SerialQueue } from './serial-queue.js';

/** Blocks the thread for this many milliseconds. */
function busy(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

it('concurrently requested work runs in order, and yields in between', async () => {
  const queue = new SerialQueue(new TimeSlices({ sliceMs: 2 }));
  const order: string[] = [];
  const steps = function* (piece: number): Generator<undefined, number> {
    yield;
    busy(3);
    order.push(String(piece));
    return piece;
  };
  const work = [1, 2, 3, 4].map((piece) => queue.run(steps(piece)));
  setImmediate(() => order.push('other'));
  expect(await Promise.all(work)).toEqual([1, 2, 3, 4]);
  expect(order.filter((name) => name !== 'other')).toEqual(['1', '2', '3', '4']);
  expect(order.indexOf('other')).toBeLessThan(order.length - 1);
});

it('work after a failure fails with the same error', async () => {
  const gone = new AbortController();
  gone.abort();
  const queue = new SerialQueue(new TimeSlices({ sliceMs: 0, signal: gone.signal }));
  const steps = function* (piece: number): Generator<undefined, number> {
    yield;
    return piece;
  };
  const work = [1, 2].map((piece) => queue.run(steps(piece)));
  for (const piece of work) await expect(piece).rejects.toMatchObject({ code: 'cancelled' });
});
