import { describe, expect, it } from '@jest/globals';
import { OtherWork } from './other-work.js';

/** An event loop with these times. */
function loop() {
  const times = { active: 1000, idle: 5000 };
  return { times, others: new OtherWork(() => ({ ...times })) };
}

describe('the share of other work in the time of an event loop', () => {
  it('is what it was active for, without the computation itself', () => {
    const { times, others } = loop();
    times.active += 70;
    times.idle += 130;
    others.measure(20);
    expect(others.share).toBeCloseTo(0.25);
  });

  it('changes slowly in short times', () => {
    const { times, others } = loop();
    times.active += 10;
    others.measure(0);
    expect(others.share).toBeCloseTo(0.1);
    times.active += 10;
    others.measure(10);
    expect(others.share).toBeCloseTo(0.09);
  });

  it('stays what it was while no time passes, or if the computation took longer than the loop knows of', () => {
    const { times, others } = loop();
    others.measure(5);
    expect(others.share).toBe(0);
    times.active += 100;
    others.measure(0);
    expect(others.share).toBe(1);
    times.active += 50;
    others.measure(60);
    expect(others.share).toBe(0.5);
  });
});
