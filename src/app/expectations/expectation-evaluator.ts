import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { ExpectationMemory, stepExpectations } from '../../core/expectations/evaluate-expectations.js';
import type { Expectation, Finding } from '../../core/expectations/expectation.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';

/** Maximum duration of an evaluation for a caller, in milliseconds. */
const BUDGET = 60_000;
/** Maximum number of clusters whose last state is remembered. */
const MOST_REMEMBERED = 16;

interface Remembered {
  readonly memory: ExpectationMemory;
  /** The last evaluation: a memory serves one at a time. */
  last: Promise<unknown>;
}

/**
 * Evaluates expectations in time slices. For the heads of clusters it remembers the last state, so that a new head costs as much as
 * its changes matter.
 */
export class ExpectationEvaluator {
  /** By cluster id, least recently used first. */
  private readonly remembered = new Map<number, Remembered>();

  /** @throws {ServiceError} `cancelled`, `budget-exceeded` */
  run(
    state: ClusterState,
    expectations: readonly Expectation[],
    now: Date,
    signal?: AbortSignal,
  ): Promise<readonly Finding[]> {
    const slices = new TimeSlices({ budgetMs: BUDGET, ...(signal && { signal }) });
    return runSteps(stepExpectations(state, expectations, { now: now.getTime() }), slices);
  }

  /** Evaluates the stored expectations of a head. */
  async ofHead(
    clusterId: number,
    state: ClusterState,
    expectations: readonly Expectation[],
    now: Date,
  ): Promise<readonly Finding[]> {
    const entry = this.remembered.get(clusterId) ?? { memory: new ExpectationMemory(), last: Promise.resolve() };
    this.remembered.delete(clusterId);
    this.remembered.set(clusterId, entry);
    const [oldest] = this.remembered.keys();
    if (this.remembered.size > MOST_REMEMBERED && oldest !== undefined) this.remembered.delete(oldest);
    const { memory } = entry;
    const found = entry.last.then(() =>
      runSteps(stepExpectations(state, expectations, { now: now.getTime(), memory }), new TimeSlices()),
    );
    entry.last = found.catch(() => {
      // What a failed evaluation has left is not used.
      if (this.remembered.get(clusterId) === entry) this.remembered.delete(clusterId);
    });
    return found;
  }

  forget(clusterId: number): void {
    this.remembered.delete(clusterId);
  }
}
