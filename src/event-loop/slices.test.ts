import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { OtherWork } from './other-work.js';
import { restsBeside, Slices } from './slices.js';

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

  it.each([
    [0, 4, 4],
    [0.5, 4, 8],
    [0.75, 1, 4],
    // At most eight times as long.
    [0.99, 1, 8],
    [1, 4, 32],
    // What does not rest at all is not slowed down.
    [1, 0, 0],
  ])('while other work takes %d of the time, rests of %d become %d', (others, rests, expected) => {
    expect(restsBeside(others, { rests })).toBeCloseTo(expected);
  });

  it('do not rest for the time before a computation', async () => {
    const paused: number[] = [];
    // Once would do, but the process may have to wait for a processor in between.
    for (let time = 0; time < 5; time++) {
      const slices = new Slices(8, { rests: 1 });
      useUp(slices);
      const steps = (function* (): Generator<undefined, number> {
        yield;
        return slices.used;
      })();
      paused.push(await slices.run(steps));
      // On a busy machine what a computation may block is given anew only after some turns of the event loop.
      for (let turns = 0; turns < 20; turns++) await turn();
    }
    // Its first slice is not used up when it begins.
    expect(paused).toContain(0);
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

  it('do not rest for what came before they began', async () => {
    const slices = new Slices(8, { rests: FOR_EVER });
    useUp(slices);
    await turn();
    await slices.map([1], () => undefined);
    useUp(slices);
    await turn();
    slices.begin();
    expect([slices.due(), slices.rested]).toEqual([false, 0]);
  });

  it('are followed by longer rests while other work needs the event loop', async () => {
    const times = { active: 0, idle: 0 };
    const slices = new Slices(8, { rests: 1 }, new OtherWork(() => ({ ...times })));
    times.active += 1000;
    const began = performance.now();
    useUp(slices);
    const worked = performance.now() - began;
    await slices.pause();
    // A timer may fire within the millisecond before.
    expect(slices.rested).toBeGreaterThan(8 * worked - 2);
  });
});
