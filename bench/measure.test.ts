import { describe, expect, it } from '@jest/globals';
import { measure, median, timed, type Target, type Unit } from './measure.js';

const run = (unit: Unit, subject: number, reference: number, target: Target) =>
  measure({
    name: 'n',
    unit,
    target,
    about: '',
    rounds: 3,
    prepare: () => ({ subject: () => subject, reference: () => reference }),
  });

describe('a benchmark', () => {
  it.each<[string, Unit, number, number, Target, number, boolean]>([
    ['a time below its limit', 'ms', 10, 5000, { absolute: 100, ratio: 500 }, 500, true],
    ['a time above its limit', 'ms', 101, 500_000, { absolute: 100, ratio: 500 }, 500_000 / 101, false],
    ['too small a ratio', 'ms', 10, 4990, { absolute: 100, ratio: 500 }, 499, false],
    ['at most twice the time of the reference', 's', 2, 1, { ratio: 0.5 }, 0.5, true],
    ['a rate above its limit', 'pods/s', 20_000, 100, { absolute: 10_000 }, 200, true],
    ['a rate below its limit', 'pods/s', 9_999, 100, { absolute: 10_000 }, 99.99, false],
  ])('judges %s', async (_, unit, subject, reference, target, ratio, met) => {
    expect(await run(unit, subject, reference, target)).toMatchObject({ median: subject, reference, ratio, met });
  });

  it('alternates between subject and reference, and tears down even after a failure', async () => {
    const calls: string[] = [];
    const failing = measure({
      name: 'n',
      unit: 'ms',
      target: {},
      about: '',
      rounds: 2,
      prepare: () =>
        Promise.resolve({
          subject: () => calls.push('subject'),
          reference: () => {
            calls.push('reference');
            if (calls.length === 6) throw new Error('broken');
            return 1;
          },
          teardown: () => void calls.push('teardown'),
        }),
    });
    await expect(failing).rejects.toThrow('broken');
    expect(calls).toEqual(['subject', 'reference', 'subject', 'reference', 'subject', 'reference', 'teardown']);
  });

  it('awaits asynchronous work', async () => {
    let done = false;
    await timed('ms', () => Promise.resolve().then(() => (done = true)))();
    expect(done).toBe(true);
  });

  it('takes the mean of the two middle values of an even number of samples', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([9, 1, 5])).toBe(5);
  });
});
