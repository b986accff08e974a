import { expect, it } from '@jest/globals';
import { SharedSlice } from './shared-slice.js';

it('leaves the event loop to others, however many share it', async () => {
  const slice = new SharedSlice();
  let isOver = false;
  let others = 0;
  const other = (): void => {
    others += 1;
    if (!isOver) setImmediate(other);
  };
  setImmediate(other);
  const work = async (): Promise<void> => {
    for (let piece = 0; piece < 10; piece++) {
      if (slice.isOver) await slice.pause();
      const end = performance.now() + 1;
      while (performance.now() < end);
      await Promise.resolve();
    }
  };
  await Promise.all(Array.from({ length: 10 }, work));
  isOver = true;
  // A hundred milliseconds of work.
  expect(others).toBeGreaterThan(8);
});
