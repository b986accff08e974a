/** The unit of a benchmark's numbers: time, memory or throughput. */
export type Unit = 'us' | 'ms' | 's' | 'KB' | 'MB' | 'pods/s' | 'events/s';

/**
 * The condition that a benchmark must meet. `ratio` compares the subject with its reference: 2 is twice as good, 0.5
 * half as good.
 */
export interface Target {
  /** A minimum for rates, a maximum for times and sizes. */
  readonly absolute?: number;
  readonly ratio?: number;
}

/** One measurement: runs the work once and returns the result in the benchmark's unit. */
export type Sample = () => number | Promise<number>;

/** The functions that a prepared benchmark consists of. */
export interface Prepared {
  readonly subject: Sample;
  readonly reference: Sample;
  readonly teardown?: () => void | Promise<void>;
}

export interface Benchmark {
  readonly name: string;
  readonly unit: Unit;
  readonly target: Target;
  /** Describes in one line what is measured and the reference. Says so if the reference is an extrapolated sample. */
  readonly about: string;
  /** The number of rounds, with one run of subject and reference each, after one warm-up round. */
  readonly rounds: number;
  /** False if each sample starts fresh, for example in a new process. */
  readonly warmUp?: boolean;
  readonly prepare: () => Prepared | Promise<Prepared>;
}

export interface BenchmarkResult {
  readonly name: string;
  readonly median: number;
  readonly unit: Unit;
  /** The reference's median, in the same unit. */
  readonly reference: number;
  readonly ratio: number;
  readonly target: string;
  readonly met: boolean;
}

const PER_SECOND: ReadonlySet<Unit> = new Set<Unit>(['pods/s', 'events/s']);

/** Alternates between subject and reference, so that noise affects both, and compares their medians. */
export async function measure({
  name,
  unit,
  target,
  rounds,
  warmUp = true,
  prepare,
}: Benchmark): Promise<BenchmarkResult> {
  const { subject, reference, teardown } = await prepare();
  try {
    if (warmUp) {
      await subject();
      await reference();
    }
    const taken: number[] = [];
    const referenceTaken: number[] = [];
    for (let round = 0; round < rounds; round++) {
      taken.push(await subject());
      referenceTaken.push(await reference());
    }
    return judge(name, unit, target, median(taken), median(referenceTaken));
  } finally {
    await teardown?.();
  }
}

function judge(name: string, unit: Unit, target: Target, taken: number, reference: number): BenchmarkResult {
  const higherIsBetter = PER_SECOND.has(unit);
  const ratio = higherIsBetter ? taken / reference : reference / taken;
  const { absolute, ratio: least } = target;
  const absoluteMet = absolute === undefined || (higherIsBetter ? taken >= absolute : taken <= absolute);
  const texts = [
    absolute === undefined ? [] : [`${higherIsBetter ? '>=' : '<='} ${absolute} ${unit}`],
    least === undefined ? [] : [`ratio >= ${least}`],
  ].flat();
  return {
    name,
    median: taken,
    unit,
    reference,
    ratio,
    target: texts.join(', '),
    met: absoluteMet && (least === undefined || ratio >= least),
  };
}

const UNITS_PER_MS = { us: 1000, ms: 1, s: 0.001 } as const;

/** Measures the time of one run of the work, divided by `per`, the number of units of work in it. */
export function timed(unit: 'us' | 'ms' | 's', work: () => unknown, per = 1): Sample {
  return () => {
    const start = performance.now();
    const result = work();
    const end = (): number => ((performance.now() - start) * UNITS_PER_MS[unit]) / per;
    return result instanceof Promise ? result.then(end) : end();
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
