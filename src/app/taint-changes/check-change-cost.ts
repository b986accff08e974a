import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { ServiceError } from '../errors/service-error.js';
import { nodeNamed, type NodeTask } from './plan-nodes.js';

/**
 * Edits times nodes, and the taints that the nodes have, that one change may come to: each is part of the record and of
 * the answer. 5,000 nodes with ten taints take ten more each.
 */
const MOST_EDITS = 100_000;

/**
 * Taking a change back is not held to this: it is bounded by the change.
 * @throws {ServiceError} `budget-exceeded` before anything is worked out
 */
export function checkChangeCost(state: ClusterState, tasks: readonly NodeTask[]): void {
  let edits = 0;
  for (const task of tasks) {
    const node = nodeNamed(state, task.node);
    if ('outcome' in task || node === undefined) continue;
    const { add, remove, labels } = task.edit;
    edits += 1 + add.length + remove.length + (labels?.set.size ?? 0) + (labels?.remove.length ?? 0);
    edits += node.spec?.taints?.length ?? 0;
  }
  if (edits <= MOST_EDITS) return;
  throw new ServiceError(
    'budget-exceeded',
    `The change comes to ${edits} edits and taints on ${tasks.length} nodes; at most ${MOST_EDITS} are worked out at once. Name fewer nodes, or fewer taints and labels.`,
  );
}
