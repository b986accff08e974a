import { traced } from '../../src/tracing/tracing.js';
import type { Benchmark } from '../measure.js';

const CALLS = 1_000_000;

/** The places where spans would begin, in a service that sends no traces. */
export const tracingOff = (): Benchmark => ({
  name: 'tracing-off',
  unit: 'ms',
  target: { ratio: 0.9 },
  about: `${CALLS} awaited calls through a place where a span would begin, without tracing; reference: the same calls without such a place`,
  rounds: 5,
  prepare: () => {
    let calls = 0;
    const work = (): Promise<number> => Promise.resolve(calls++);
    return Promise.resolve({
      subject: () => each(() => traced('work', work, { attributes: () => ({ calls }) })),
      reference: () => each(() => work()),
    });
  },
});

/** @returns milliseconds of all calls */
async function each(call: () => Promise<number>): Promise<number> {
  const started = performance.now();
  for (let at = 0; at < CALLS; at += 1) await call();
  return performance.now() - started;
}
