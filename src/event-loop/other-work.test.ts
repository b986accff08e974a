import { describe, expect, it } from '@jest/globals';
import { OtherWork } from './other-work.js';

/** Milliseconds that pass before a measurement, and for how many of them the computation worked. */
interface Passed {
  readonly active: number;
  readonly idle: number;
  readonly own: number;
}

/** The share after each measurement. */
function sharesAfter(...passed: readonly Passed[]): readonly number[] {
  const times = { active: 1000, idle: 5000 };
  const others = new OtherWork(() => ({ ...times }));
  return passed.map(({ active, idle, own }) => {
    times.active += active;
    times.idle += idle;
    others.measure(own);
    return Number(others.share.toFixed(3));
  });
}

describe('the share of other work in the time of an event loop', () => {
  it('does not contain the computation itself', () => {
    expect(sharesAfter({ active: 70, idle: 130, own: 20 })).toEqual([0.25]);
  });

  it('changes little over a few milliseconds', () => {
    expect(sharesAfter({ active: 10, idle: 0, own: 0 }, { active: 10, idle: 0, own: 10 })).toEqual([0.1, 0.09]);
  });

  it('is the same while no time passes', () => {
    expect(sharesAfter({ active: 100, idle: 0, own: 50 }, { active: 0, idle: 0, own: 0 })).toEqual([0.5, 0.5]);
  });

  it('is not negative if the computation worked longer than the loop was active', () => {
    expect(sharesAfter({ active: 50, idle: 50, own: 60 })).toEqual([0]);
  });
});
