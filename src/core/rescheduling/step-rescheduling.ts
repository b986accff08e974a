import type { ClusterState } from '../cluster/cluster-state.js';
import { Rescheduler, type ReschedulerOptions } from './rescheduler.js';
import { ReschedulingReport } from './rescheduling-report.js';
import type { ReschedulingEvent, Rescheduling } from './rescheduling.js';

export interface ReschedulingOptions extends ReschedulerOptions {
  /** The number of pods, and of workloads, that are listed; the counts cover all. */
  readonly mostListed: number;
  /** The number of moments that are listed; 10,000 by default. */
  readonly mostMoments?: number;
}

const MAX_MOMENTS = 10_000;

/**
 * Where the replacements of leaving pods go. For each pod that its controller replaces, the plan finds the nodes that
 * pass the scheduler's filters at that moment and chooses the one with the highest total. Each pod is decided by the
 * profile of its scheduler in the cluster's configuration.
 *
 * All events of a moment happen before the pods created at that moment are placed: taints are up to date, pods that are
 * gone have released their resources, and Terminating pods still hold theirs. Pods are placed one after another, by
 * priority and then by waiting time, each after those before it; a pod that fits no node is tried again when resources
 * are released or a node's taints change. Among nodes with equal totals the plan chooses the first by name, whereas
 * Kubernetes chooses randomly.
 *
 * Runs in short steps, so that the caller can run other work in between; yields nothing. Indexes are those of the
 * state.
 *
 * @throws RangeError for events out of order, and for nodes and pods that do not exist
 */
export function* stepRescheduling(
  state: ClusterState,
  events: Iterable<ReschedulingEvent>,
  options: ReschedulingOptions,
): Generator<undefined, Rescheduling> {
  const { mostListed, mostMoments = MAX_MOMENTS, ...others } = options;
  const report = new ReschedulingReport(state, mostListed, mostMoments);
  const plan = yield* Rescheduler.open(state, others, report);
  let at: number | undefined;
  for (const event of events) {
    if (at !== undefined && event.at !== at) {
      // Also refuses NaN.
      if (!(event.at > at)) throw new RangeError(`an event at ${event.at} comes after one at ${at}`);
      yield* plan.settle(at);
    }
    at = event.at;
    yield* plan.take(event);
  }
  if (at !== undefined) yield* plan.settle(at);
  return report.finish(yield* plan.finish());
}
