import { describe, expect, it } from '@jest/globals';
import { BoundedQueue } from './bounded-queue.js';

const LIMITS = { items: 3, bytes: 100 };

describe('a bounded queue', () => {
  it('returns its items in order', () => {
    const queue = new BoundedQueue<number>({ items: 1000, bytes: 1000 });
    const taken: (number | undefined)[] = [];
    for (let item = 0; item < 300; item++) {
      queue.add(item, 1);
      if (item % 3 === 0) taken.push(queue.take());
    }
    while (queue.size > 0) taken.push(queue.take());
    expect(taken).toEqual(Array.from({ length: 300 }, (_, index) => index));
    expect(queue.take()).toBeUndefined();
  });

  it('rejects an item beyond the limit, and keeps the others', () => {
    const queue = new BoundedQueue<string>(LIMITS);
    expect(['a', 'b', 'c', 'd'].map((item) => queue.add(item, 1))).toEqual([true, true, true, false]);
    queue.take();
    expect(queue.add('e', 1)).toBe(true);
    expect([queue.take(), queue.take(), queue.take(), queue.take()]).toEqual(['b', 'c', 'e', undefined]);
  });

  it('rejects an item that is too large for the remaining space, but always accepts one into an empty queue', () => {
    const queue = new BoundedQueue<string>(LIMITS);
    expect(queue.add('large', 1000)).toBe(true);
    expect(queue.add('small', 1)).toBe(false);
    queue.take();
    expect([queue.add('a', 60), queue.add('b', 41), queue.add('c', 40)]).toEqual([true, false, true]);
  });

  it('reports when either limit is half used', () => {
    const queue = new BoundedQueue<string>(LIMITS);
    queue.add('a', 50);
    expect(queue.isHalfFull).toBe(false);
    queue.add('b', 1);
    expect(queue.isHalfFull).toBe(true);
    queue.take();
    expect(queue.isHalfFull).toBe(false);
    queue.add('c', 1);
    expect(queue.isHalfFull).toBe(true);
    queue.clear();
    expect([queue.size, queue.isHalfFull, queue.add('d', 100)]).toEqual([0, false, true]);
  });
});
