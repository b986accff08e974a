import type { ClusterState } from '../cluster/cluster-state.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { AggregateMessage } from '../placement/aggregate-message.js';
import { evaluatePlacement } from '../placement/evaluate-placement.js';
import { FEASIBLE, type Placement } from '../placement/placement.js';
import { bestOf, rankNodes, type Ranking } from '../placement/rank-nodes.js';
import { feasibleNodes, type SchedulingProfile } from '../scheduling/schedule-pod.js';
import { preempt, type Preemption } from './preempt.js';
import { unscheduledMessage } from './unscheduled-message.js';

/** The result of one scheduling cycle for a pod. */
export type CycleOutcome =
  | {
      readonly outcome: 'placed';
      readonly placement: Placement;
      /** The nodes among which the scheduler chooses at random, as ascending indexes. */
      readonly best: readonly number[];
      /** Absent if only one node is feasible, or if the pod's nominated node is feasible: then no node is scored. */
      readonly ranking?: Ranking;
    }
  | {
      readonly outcome: 'unplaced';
      readonly placement: Placement;
      readonly preemption: Preemption;
      /** The message of the pod's condition. */
      readonly message: AggregateMessage;
    }
  /** A score plugin failed, which ends the scheduling cycle. */
  | { readonly outcome: 'error'; readonly plugin: string; readonly message: string };

/**
 * One scheduling cycle of kube-scheduler for a pod, including preemption. A pod with a nominated node is placed there as soon
 * as it fits, even if other nodes are feasible.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/schedule_one.go, `schedulingCycle`, `schedulePod` and
 * `findNodesThatFitPod`.
 *
 * @param now milliseconds since the epoch
 * @throws QuantityError for a pod with an invalid quantity in its requests
 */
export function schedulingCycle(
  state: ClusterState,
  pod: Pod,
  { filters, scores, args, gates }: SchedulingProfile,
  now: number,
): CycleOutcome {
  const placement = evaluatePlacement(state, { pod, gates, filters });
  const nominated = state.nodes.indexOf(pod.status?.nominatedNodeName ?? '');
  if (nominated >= 0 && placement.verdicts[nominated] === FEASIBLE) {
    return { outcome: 'placed', placement, best: [nominated] };
  }
  const nodes = feasibleNodes(placement);
  const [only] = nodes;
  if (only === undefined) {
    const preemption = preempt(placement, { now });
    return { outcome: 'unplaced', placement, preemption, message: unscheduledMessage(placement, preemption) };
  }
  if (nodes.length === 1) return { outcome: 'placed', placement, best: [only] };
  const ranking = rankNodes(state, { pod, nodes, gates, scores, args });
  const failed = ranking.plugins.find(({ error }) => error !== undefined);
  if (failed?.error !== undefined) return { outcome: 'error', plugin: failed.name, message: failed.error };
  return { outcome: 'placed', placement, best: bestOf(ranking).map((position) => nodes[position]!), ranking };
}
