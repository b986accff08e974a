import type { ClusterState } from '../../../cluster/cluster-state.js';
import type { PodTable } from '../../../cluster/pod-table.js';
import type { Selector } from '../../../kubernetes/selector.js';

/** Counts that are remembered of one state: those of the pods of one question, and of the next ones like it. */
const MOST_REMEMBERED = 64;

const known = new WeakMap<PodTable, Map<string, Int32Array>>();

/**
 * By node, how many pods of a namespace a selector selects: those that have not ended and are not being deleted. A selector without
 * requirements selects none.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/podtopologyspread/common.go, `countPodsMatchSelector`.
 */
export function matchingPodsPerNode(state: ClusterState, namespace: string, selector: Selector): Int32Array {
  const { pods, nodes } = state;
  if (selector.requirements === undefined || selector.requirements.length === 0) return new Int32Array(nodes.count);
  let counts = known.get(pods);
  if (counts === undefined) known.set(pods, (counts = new Map()));
  const key = `${namespace}\n${selector.toString()}`;
  let found = counts.get(key);
  if (found === undefined) {
    if (counts.size >= MOST_REMEMBERED) counts.clear();
    counts.set(key, (found = count(state, namespace, selector)));
  }
  return found;
}

function count({ pods, nodes }: ClusterState, namespace: string, selector: Selector): Int32Array {
  const counts = new Int32Array(nodes.count);
  const matches: boolean[] = [];
  for (let pod = 0; pod < pods.count; pod++) {
    const node = pods.nodeIndex(pod);
    if (node < 0 || pods.namespace(pod) !== namespace) continue;
    if (!(matches[pods.labelSetId(pod)] ??= selector.matches(pods.labels(pod)))) continue;
    if (pods.active(pod) && !pods.terminating(pod)) counts[node]!++;
  }
  return counts;
}
