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

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
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

  it.each<[string, (slices: Slices) => Promise<number>]>([
    [
      'a computation',
      (slices) =>
        slices.run(
          (function* (): Generator<undefined, number> {
            yield;
            return slices.used;
          })(),
        ),
    ],
    ['a mapping', async (slices) => (await slices.map([1], () => slices.used))[0]!],
    [
      'work of its own kind',
      async (slices) => {
        slices.begin();
        if (slices.due()) await slices.pause();
        return slices.used;
      },
    ],
  ])('do not rest for the time before %s', async (_, usedBy) => {
    const paused: number[] = [];
    // Once would do, but the process may have to wait for a processor in between.
    for (let time = 0; time < 10; time++) {
      const slices = new Slices(8, { rests: 1 });
      // Not until it is due: it is, too, when others have used up the turn of the event loop.
      block(10);
      // What computations may block is given anew after a turn of the event loop, and on a busy machine only after some.
      for (let turns = 0; turns < 20; turns++) await turn();
      paused.push(await usedBy(slices));
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
