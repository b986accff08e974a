import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { ServiceError } from '../errors/service-error.js';
import { nodeNamed, type NodeTask } from './plan-nodes.js';

/**
 * Maximum number of edits times nodes, plus the taints of the nodes, in one change: each is part of the record and the
 * response. 5,000 nodes with ten taints can get ten more each.
 */
const MAX_EDITS = 100_000;
/** Nodes examined between two yields. */
const STRIDE = 256;

/**
 * Reverts are not limited by this, since the original change was.
 * @throws {ServiceError} `budget-exceeded` before anything is computed
 */
export function* stepChangeCost(state: ClusterState, tasks: readonly NodeTask[]): Generator<undefined, void> {
  let edits = 0;
  for (const [index, task] of tasks.entries()) {
    if (index % STRIDE === STRIDE - 1) yield;
    const node = nodeNamed(state, task.node);
    if ('outcome' in task || node === undefined) continue;
    const { add, remove, labels } = task.edit;
    edits += 1 + add.length + remove.length + (labels?.set.size ?? 0) + (labels?.remove.length ?? 0);
    edits += node.spec?.taints?.length ?? 0;
  }
  if (edits <= MAX_EDITS) return;
  throw new ServiceError(
    'budget-exceeded',
    `The change consists of ${edits} edits and taints on ${tasks.length} nodes; at most ${MAX_EDITS} are allowed. Name fewer nodes, or fewer taints and labels.`,
  );
}
