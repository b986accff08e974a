import { describe, expect, it } from '@jest/globals';
import { LoopMonitor, type Hold } from './loop-monitor.js';

/** A monitor with clocks that only the test moves. */
function watched() {
  let now = 1000;
  let processor = 0;
  const holds: Hold<string>[] = [];
  const monitor = new LoopMonitor<string>({ now: () => now, processor: () => processor }, (hold) => holds.push(hold));
  const pass = (ms: number, used = ms): void => {
    now += ms;
    processor += used;
    monitor.tick();
  };
  return { monitor, holds, pass };
}

describe('a monitor of the event loop', () => {
  it('reports nothing while the loop turns', () => {
    const { monitor, holds, pass } = watched();
    monitor.begin('a request');
    for (let at = 0; at < 10; at++) pass(70);
    expect(holds).toEqual([]);
  });

  it('reports how long the loop was held, and by what it may have been', () => {
    const { monitor, holds, pass } = watched();
    monitor.begin('ended before');
    monitor.end('ended before');
    pass(20);
    monitor.begin('waits');
    monitor.begin('held the loop');
    monitor.end('held the loop');
    pass(320, 290);
    pass(20);
    expect(holds).toEqual([{ ms: 300, processorMs: 290, during: ['held the loop', 'waits'] }]);
  });

  it('reports each hold by itself', () => {
    const { monitor, holds, pass } = watched();
    pass(120, 10);
    monitor.begin('a request');
    pass(220);
    expect(holds).toEqual([
      { ms: 100, processorMs: 10, during: [] },
      { ms: 200, processorMs: 220, during: ['a request'] },
    ]);
  });
});
