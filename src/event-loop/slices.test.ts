import { describe, expect, it } from '@jest/globals';
import { Slices } from './slices.js';

/** Long enough for the test to end with an error, if it were ever waited for. */
const FOR_EVER = 1_000_000;

/** Works until the slice is used up. */
function useUp(slices: Slices): void {
  while (!slices.due());
}

describe('slices in the background', () => {
  it('are followed by a rest, so many times as long as the work', async () => {
    const slices = new Slices(8, { rests: 3 });
    const began = performance.now();
    useUp(slices);
    const worked = performance.now() - began;
    await slices.pause();
    // A timer may fire within the millisecond before.
    expect(slices.rested).toBeGreaterThan(3 * worked - 2);
    const others = new Slices(8);
    useUp(others);
    await others.pause();
    expect([others.rested, others.inBackground, slices.inBackground]).toEqual([0, false, true]);
  });

  it('do not rest for the time before a computation', async () => {
    const slices = new Slices(8, { rests: 1 });
    useUp(slices);
    const steps = (function* (): Generator<undefined, number> {
      yield;
      return slices.used;
    })();
    // Its first slice is not used up when it begins.
    expect(await slices.run(steps)).toBe(0);
  });

  it('rest no longer once somebody waits for them, nor does the rest that has begun go on', async () => {
    const slices = new Slices(8, { rests: FOR_EVER });
    useUp(slices);
    const paused = slices.pause();
    slices.hurry();
    await paused;
    const { rested } = slices;
    useUp(slices);
    await slices.pause();
    expect([slices.rested, slices.inBackground]).toEqual([rested, false]);
  });
});
