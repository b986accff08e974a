import { describe, expect, it } from '@jest/globals';
import { Semaphore } from './semaphore.js';

const never = new AbortController().signal;

describe('turns', () => {
  it('are taken by so many at once, and then in order as others end', async () => {
    const turns = new Semaphore(2);
    const got: string[] = [];
    const take = async (name: string, signal = never): Promise<(() => void) | undefined> => {
      const end = await turns.take(signal);
      if (end !== undefined) got.push(name);
      return end;
    };
    const [a, b] = [await take('a'), await take('b')];
    const gone = new AbortController();
    const waiting = [take('c'), take('d', gone.signal), take('e')];
    gone.abort();
    expect(await waiting[1]).toBeUndefined();
    expect(got).toEqual(['a', 'b']);
    a!();
    a!();
    const c = await waiting[0];
    expect(got).toEqual(['a', 'b', 'c']);
    b!();
    await waiting[2];
    c!();
    await take('f');
    expect(got).toEqual(['a', 'b', 'c', 'e', 'f']);
  });

  it('are not taken by who has gone before', async () => {
    const gone = AbortSignal.abort();
    expect(await new Semaphore(1).take(gone)).toBeUndefined();
  });
});
