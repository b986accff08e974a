import { describe, expect, it } from '@jest/globals';
import { FairQueue, QueueFullError } from './fair-queue.js';

const settled = (): Promise<void> => new Promise(setImmediate);

/** Tasks that end on request, with the order in which they began. */
class Tasks {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, () => void>();

  constructor(private readonly queue: FairQueue) {}

  add(caller: string, name: string): Promise<string> {
    return this.queue.run(caller, async () => {
      this.begun.push(name);
      await new Promise<void>((end) => this.ends.set(name, end));
      return name;
    });
  }

  async end(name: string, done: Promise<string>): Promise<void> {
    await settled();
    this.ends.get(name)?.();
    expect(await done).toBe(name);
    await settled();
  }
}

describe('a fair queue', () => {
  it('serves callers in turn, however many tasks one of them adds', async () => {
    const tasks = new Tasks(new FairQueue({ atOnce: 1, perCaller: 4, inTotal: 9 }));
    const [a1, a2, a3] = ['a1', 'a2', 'a3'].map((name) => tasks.add('a', name));
    const b1 = tasks.add('b', 'b1');
    const c1 = tasks.add('c', 'c1');
    for (const [name, done] of [
      ['a1', a1!],
      ['a2', a2!],
    ] as const) {
      await tasks.end(name, done);
      if (name === 'a1') {
        expect(tasks.begun).toEqual(['a1', 'b1']);
        await tasks.end('b1', b1);
        await tasks.end('c1', c1);
      }
    }
    await tasks.end('a3', a3!);
    expect(tasks.begun).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
  });

  it('runs one task of a caller at a time and leaves the other places to others', async () => {
    const tasks = new Tasks(new FairQueue({ atOnce: 2, perCaller: 4, inTotal: 9 }));
    const [a1, a2] = ['a1', 'a2'].map((name) => tasks.add('a', name));
    const b1 = tasks.add('b', 'b1');
    await settled();
    expect(tasks.begun).toEqual(['a1', 'b1']);
    await tasks.end('a1', a1!);
    await tasks.end('a2', a2!);
    await tasks.end('b1', b1);
  });

  it('rejects tasks above the limit per caller or in total, and accepts them again when there is room', async () => {
    const tasks = new Tasks(new FairQueue({ atOnce: 1, perCaller: 2, inTotal: 3 }));
    const [a1, a2] = ['a1', 'a2'].map((name) => tasks.add('a', name));
    await expect(tasks.add('a', 'a3')).rejects.toThrow(QueueFullError);
    const b1 = tasks.add('b', 'b1');
    await expect(tasks.add('c', 'c1')).rejects.toThrow(QueueFullError);
    await tasks.end('a1', a1!);
    const c1 = tasks.add('c', 'c1');
    for (const [name, done] of [
      ['b1', b1],
      ['a2', a2!],
      ['c1', c1],
    ] as const)
      await tasks.end(name, done);
  });

  it('continues after a task that fails', async () => {
    const queue = new FairQueue({ atOnce: 1, perCaller: 2, inTotal: 2 });
    await expect(queue.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await queue.run('a', () => Promise.resolve(1))).toBe(1);
  });
});
