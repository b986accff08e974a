import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import { DEFAULT_RULES } from '../../src/core/kubernetes/kubernetes-rules.js';
import { matchRequiredNodeAffinity, requiredNodeAffinity } from '../../src/core/kubernetes/node-selector.js';
import type { Pod } from '../../src/core/kubernetes/objects/pod.js';
import type { Taint } from '../../src/core/kubernetes/objects/taints.js';
import { DEFAULT_GATES, findUntolerated, toleratesTaint } from '../../src/core/kubernetes/toleration.js';
import { evaluatePlacement } from '../../src/core/placement/evaluate-placement.js';
import { schedulerRequest } from '../../src/core/resources/request-vector.js';
import type { BenchCluster } from '../bench-cluster.js';
import { timed, type Benchmark } from '../measure.js';
import { plainNodes, type PlainNode } from './plain-nodes.js';
import { newPodsLike } from './sample-pods.js';

const PODS = 50;
const HARD_EFFECTS = ['NoSchedule', 'NoExecute'];
const CORDON: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Evaluates one pod against all nodes with every filter, averaged over pods of all kinds. */
export const onePodAllFilters = (cluster: BenchCluster): Benchmark => ({
  name: 'one-pod-all-filters',
  unit: 'us',
  target: { absolute: 2000 },
  about: `one pod against all nodes by every filter, the mean of ${PODS} pods; reference: the same rules that these pods use (cordon, taints, node selector and affinity, every resource), plainly, node by node, with the same nodes refused`,
  rounds: 9,
  prepare: () => {
    const { state } = cluster;
    const pods = newPodsLike(state, PODS);
    const nodes = plainNodes(state);
    for (const pod of pods) {
      // A rule that is not implemented returns unknown, so it excludes no node in either version.
      const refused = plainlyRefused(pod, nodes);
      if (refusedOf(state, pod) !== refused) throw new Error('one-pod-all-filters: the two disagree');
    }
    return {
      subject: timed('us', () => pods.reduce((sum, pod) => sum + refusedOf(state, pod), 0), pods.length),
      reference: timed('us', () => pods.reduce((sum, pod) => sum + plainlyRefused(pod, nodes), 0), pods.length),
    };
  },
});

function refusedOf(state: ClusterState, pod: Pod): number {
  return evaluatePlacement(state, { pod }).counts.infeasible;
}

function plainlyRefused(pod: Pod, nodes: readonly PlainNode[]): number {
  const { tolerations = [] } = pod.spec;
  const required = requiredNodeAffinity(pod);
  const { milliCPU, memory, ephemeralStorage, scalars } = schedulerRequest(pod, DEFAULT_RULES);
  const requests = [
    ['pods', 1n] as const,
    ['cpu', milliCPU] as const,
    ['memory', memory] as const,
    ['ephemeral-storage', ephemeralStorage] as const,
    ...scalars,
  ]
    .filter(([, amount]) => amount > 0n)
    .map(([resource, amount]) => [resource, Number(amount)] as const);
  const toleratesCordon = tolerations.some((toleration) => toleratesTaint(toleration, CORDON, DEFAULT_GATES));
  return nodes.filter(
    ({ node, free }) =>
      (node.spec?.unschedulable === true && !toleratesCordon) ||
      findUntolerated(tolerations, node.spec?.taints ?? [], HARD_EFFECTS, DEFAULT_GATES) !== undefined ||
      !matchRequiredNodeAffinity(required, node).matches ||
      requests.some(([resource, amount]) => amount > (free.get(resource) ?? 0)),
  ).length;
}
