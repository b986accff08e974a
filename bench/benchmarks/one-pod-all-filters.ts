import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import { matchRequiredNodeAffinity, requiredNodeAffinity } from '../../src/core/kubernetes/node-selector.js';
import type { Pod } from '../../src/core/kubernetes/objects/pod.js';
import { findUntolerated } from '../../src/core/kubernetes/toleration.js';
import { evaluatePlacement } from '../../src/core/placement/evaluate-placement.js';
import { podRequestCounts, type PlainNode, plainNodes } from './plain-nodes.js';
import type { BenchCluster } from '../bench-cluster.js';
import { timed, type Benchmark } from '../measure.js';
import { newPodsLike } from './sample-pods.js';

const PODS = 50;
const GATES = { comparisonOperators: false };
const HARD_EFFECTS = ['NoSchedule', 'NoExecute'];

/** One pod against all nodes by every filter, averaged over pods of all kinds. */
export const onePodAllFilters = (cluster: BenchCluster): Benchmark => ({
  name: 'one-pod-all-filters',
  unit: 'us',
  target: { absolute: 2000 },
  about: `one pod against all nodes by every filter, the mean of ${PODS} pods; reference: cordon, taints, node affinity and cpu, memory and pods, plainly, node by node`,
  rounds: 9,
  prepare: () => {
    const { state } = cluster;
    const pods = newPodsLike(state, PODS);
    const nodes = plainNodes(state);
    return {
      subject: timed('us', () => countFeasible(state, pods), pods.length),
      reference: timed('us', () => pods.reduce((sum, pod) => sum + plainlyFeasible(pod, nodes), 0), pods.length),
    };
  },
});

function countFeasible(state: ClusterState, pods: readonly Pod[]): number {
  return pods.reduce((sum, pod) => sum + evaluatePlacement(state, { pod }).counts.feasible, 0);
}

function plainlyFeasible(pod: Pod, nodes: readonly PlainNode[]): number {
  const { tolerations = [] } = pod.spec;
  const required = requiredNodeAffinity(pod);
  const { milliCPU, memory } = podRequestCounts(pod);
  return nodes.filter(
    ({ node, free }) =>
      findUntolerated(tolerations, node.spec?.taints ?? [], HARD_EFFECTS, GATES) === undefined &&
      matchRequiredNodeAffinity(required, node).matches &&
      free.pods >= 1 &&
      free.milliCPU >= milliCPU &&
      free.memory >= memory,
  ).length;
}
