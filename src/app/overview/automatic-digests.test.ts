import { describe, expect, it } from '@jest/globals';
import { UnderWay } from '../../event-loop/under-way.js';
import { SystemClock } from '../clock.js';
import { AutomaticDigests } from './automatic-digests.js';

/** Digests of one due cluster, which notes when it is taken. */
function digestsBeside(underWay: UnderWay) {
  const taken: number[] = [];
  const turns = {
    due: () => Promise.resolve([{ id: 7, name: 'due' }]),
    take: (id: number) => {
      taken.push(id);
      return Promise.resolve(false);
    },
    leave: () => Promise.resolve(),
  };
  const states = { knows: () => false, release: () => undefined, keepImage: () => Promise.resolve() };
  const figures = { run: () => Promise.reject(new Error('taken by another')) };
  const digests = new AutomaticDigests(turns, states, figures, {
    maker: { version: '1', form: 1, fewestObjects: 1 },
    percent: 100,
    clock: new SystemClock(),
    context: () => {
      throw new Error('taken by another');
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
});
