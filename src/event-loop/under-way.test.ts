import { describe, expect, it } from '@jest/globals';
import { UnderWay } from './under-way.js';

const NEVER = 1_000_000;

/** Something that is under way until `end` is called. */
function begin(underWay: UnderWay): { readonly end: (failed?: boolean) => Promise<void> } {
  let settle: (failed: boolean) => void;
  const done = underWay.run(
    () =>
      new Promise<void>((resolve, reject) => {
        settle = (failed) => (failed ? reject(new Error('failed')) : resolve());
      }),
  );
  return {
    end: (failed = false) => {
      settle(failed);
      return done.catch(() => undefined);
    },
  };
}

/** Notes when something resolves. */
function noted(work: Promise<void>): { resolved: boolean } {
  const note = { resolved: false };
  void work.then(() => (note.resolved = true));
  return note;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('what is under way', () => {
  it('is waited for until the last has ended, however it ends', async () => {
    const underWay = new UnderWay();
    await underWay.ended(NEVER, new AbortController().signal);
    const [first, second] = [begin(underWay), begin(underWay)];
    const wait = noted(underWay.ended(NEVER, new AbortController().signal));
    await first.end();
    await turn();
    expect(wait.resolved).toBe(false);
    await second.end(true);
    await turn();
    expect(wait.resolved).toBe(true);
    await underWay.ended(NEVER, new AbortController().signal);
  });

  it('is waited for no longer than allowed, nor after an abort', async () => {
    const underWay = new UnderWay();
    const one = begin(underWay);
    await underWay.ended(1, new AbortController().signal);
    const stop = new AbortController();
    const wait = underWay.ended(NEVER, stop.signal);
    stop.abort();
    await wait;
    await underWay.ended(NEVER, stop.signal);
    await one.end();
  });
});
