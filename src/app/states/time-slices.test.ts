import { describe, expect, it } from '@jest/globals';
import { TimeSlices } from './time-slices.js';

describe('time slices of an asker', () => {
  it('read its signal at a pause alone, and then end if it is aborted', async () => {
    let read = 0;
    const gone = AbortSignal.abort();
    const asker = {
      get signal(): AbortSignal {
        read++;
        return gone;
      },
    };
    const slices = new TimeSlices({ asker, sliceMs: 1_000_000 });
    expect(await slices.map([1, 2], (item) => item * 2)).toEqual([2, 4]);
    expect(read).toBe(0);
    await expect(slices.pause()).rejects.toMatchObject({ code: 'cancelled' });
  });
});
