import type { ClusterState } from '../cluster/cluster-state.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { AggregateMessage } from '../placement/aggregate-message.js';
import { evaluatePlacement } from '../placement/evaluate-placement.js';
import { FEASIBLE, type Placement } from '../placement/placement.js';
import { bestOf, rankNodes, type Ranking } from '../placement/rank-nodes.js';
import { feasibleNodes, type SchedulingProfile } from '../scheduling/schedule-pod.js';
import { preempt, type Preemption } from './preempt.js';
import { unscheduledMessage } from './unscheduled-message.js';

/** What one turn of a pod comes to. */
export type CycleOutcome =
  | {
      readonly outcome: 'placed';
      readonly placement: Placement;
      /** The nodes that the scheduler chooses among at random, by index, ascending. */
      readonly best: readonly number[];
      /** Absent where one node alone could take the pod, or it is nominated to one that can: then none is scored. */
      readonly ranking?: Ranking;
    }
  | {
      readonly outcome: 'unplaced';
      readonly placement: Placement;
      readonly preemption: Preemption;
      /** What is written into the pod's condition. */
      readonly message: AggregateMessage;
    }
  /** A score plugin failed, which ends the pod's turn. */
  | { readonly outcome: 'error'; readonly plugin: string; readonly message: string };

/**
 * One turn of a pod in kube-scheduler, preemption included. A pod that is nominated to a node goes there as soon as it fits, whatever
 * other nodes there are.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/schedule_one.go, `schedulingCycle`, `schedulePod` and `findNodesThatFitPod`.
 *
 * @param now milliseconds since 1970
 * @throws QuantityError for a pod with a request that is no quantity
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
