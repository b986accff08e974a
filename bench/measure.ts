/** How long, how much: what a benchmark's numbers count. */
export type Unit = 'us' | 'ms' | 's' | 'MB' | 'pods/s';

/** When a benchmark is met. `ratio` is how many times as good the subject is as its reference; 0.5 is half as good. */
export interface Target {
  /** For rates: at least; for times and sizes: at most. */
  readonly absolute?: number;
  readonly ratio?: number;
}

/** One measurement: runs the work once and answers what it took, in the benchmark's unit. */
export type Sample = () => number | Promise<number>;

/** What a benchmark needs while it runs. */
export interface Prepared {
  readonly subject: Sample;
  readonly reference: Sample;
  readonly teardown?: () => void | Promise<void>;
}

export interface Benchmark {
  readonly name: string;
  readonly unit: Unit;
  readonly target: Target;
  /** What is measured, and beside what, in a line. Says so where the reference is a sample scaled up. */
  readonly about: string;
  /** Rounds of one subject and one reference each, after one of each to warm up. */
  readonly rounds: number;
  /** False where each sample is of something fresh, such as a new process. */
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

const PER_SECOND: ReadonlySet<Unit> = new Set<Unit>(['pods/s']);

/** Runs subject and reference in turn, so that a noisy machine changes both, and compares their medians. */
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

/** The time that work takes, done once; `per` divides it where the work is that many pieces of what is measured. */
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
