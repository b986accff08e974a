import { describe, expect, it } from '@jest/globals';
import { LocalCounts } from './shared-counts.js';

describe('LocalCounts', () => {
  it('counts the uses of a key in windows that begin with the first use', async () => {
    let now = 1_000;
    const counts = new LocalCounts(() => now);
    expect(await counts.hit('a', 60_000)).toEqual({ current: 1, ttl: 60_000 });
    now += 59_999;
    expect(await counts.hit('a', 60_000)).toEqual({ current: 2, ttl: 1 });
    expect(await counts.hit('b', 60_000)).toEqual({ current: 1, ttl: 60_000 });
    now += 1;
    expect(await counts.hit('a', 60_000)).toEqual({ current: 1, ttl: 60_000 });
  });

  it('lets callers in up to their limit and that of all, by kind, and again when one has left', async () => {
    const counts = new LocalCounts();
    const enter = (caller: string, kind = 'uploads') => counts.enter(kind, caller, { perCaller: 2, inTotal: 3 });
    const first = await enter('a');
    await enter('a');
    expect(await enter('a')).toEqual({ full: 'perCaller', taken: 2 });
    await enter('b');
    expect(await enter('b')).toEqual({ full: 'inTotal', taken: 3 });
    expect(await enter('b', 'streams')).toHaveProperty('leave');
    if (!('leave' in first)) throw new Error('there was a place');
    first.leave();
    first.leave();
    expect(await enter('b')).toHaveProperty('leave');
    expect(await enter('c')).toEqual({ full: 'inTotal', taken: 3 });
  });
});
