import { describe, expect, it } from '@jest/globals';
import { UnderWay } from '../../event-loop/under-way.js';
import { SystemClock } from '../clock.js';
import type { RequestContext } from '../request-context.js';
import { AutomaticDigests } from './automatic-digests.js';
import type { KeepFigures } from './keep-figures.js';

/** Digests of one due cluster, which notes when it is taken. */
function digestsBeside(underWay: UnderWay, given?: { readonly percent: number; readonly run: KeepFigures['run'] }) {
  const taken: number[] = [];
  const turns = {
    due: () => Promise.resolve([{ id: 7, name: 'due' }]),
    take: (id: number) => {
      taken.push(id);
      return Promise.resolve(given !== undefined);
    },
    leave: () => Promise.resolve(),
  };
  const states = { knows: () => false, release: () => undefined, keepImage: () => Promise.resolve() };
  const figures = { run: given?.run ?? (() => Promise.reject(new Error('taken by another'))) };
  const digests = new AutomaticDigests(turns, states, figures, {
    maker: { version: '1', form: 1, fewestObjects: 1 },
    percent: given?.percent ?? 100,
    clock: new SystemClock(),
    context: () => {
      if (given === undefined) throw new Error('taken by another');
      return {} as RequestContext;
    },
    failed: (error) => {
      throw error;
    },
    snapshotsTaken: (longestMs, signal) => underWay.ended(longestMs, signal),
  });
  return { digests, taken };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('digests ahead of questions', () => {
  it('let a snapshot that arrives go first', async () => {
    const underWay = new UnderWay();
    const { digests, taken } = digestsBeside(underWay);
    let end: (() => void) | undefined;
    const snapshot = underWay.run(() => new Promise<void>((resolve) => (end = resolve)));
    const round = digests.round();
    await turn();
    expect(taken).toEqual([]);
    end!();
    await Promise.all([snapshot, round]);
    expect(taken).toEqual([7]);
  });

  it('do not hold up the end of the service while a snapshot arrives', async () => {
    const underWay = new UnderWay();
    const { digests, taken } = digestsBeside(underWay);
    void underWay.run(() => new Promise<void>(() => undefined));
    const round = digests.round();
    await turn();
    await Promise.all([digests.stop(), round]);
    expect(taken).toEqual([]);
  });

  it('are computed in the background for a part of the time, until the service ends', async () => {
    const rests: number[] = [];
    let ended = false;
    const { digests } = digestsBeside(new UnderWay(), {
      percent: 0.0001,
      run: async (_cluster, _context, slices) => {
        rests.push(slices!.rested);
        while (!slices!.due());
        // For half an hour, if nothing ended it.
        const paused = slices!.pause();
        void digests.stop();
        await paused;
        ended = true;
        throw new Error('the service ends');
      },
    });
    await digests.round();
    expect([rests, ended]).toEqual([[0], true]);
  });
});
