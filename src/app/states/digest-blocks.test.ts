import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { pack } from './digest-blocks.js';
import { TimeSlices } from './time-slices.js';

it('packs in the background without a rest for the time before', async () => {
  const paused: number[] = [];
  // Once would do, but the process may have to wait for a processor in between.
  for (let time = 0; time < 10; time++) {
    const slices = new TimeSlices({ background: { rests: 1 } });
    const end = performance.now() + 10;
    while (performance.now() < end);
    for (let turns = 0; turns < 20; turns++) await turn();
    await pack(['an item'], slices);
    paused.push(slices.used);
  }
  expect(paused).toContain(0);
});
