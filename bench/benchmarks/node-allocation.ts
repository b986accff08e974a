import { stepNodeAllocations, type NodeAllocationSummary } from '../../src/core/allocation/node-allocation.js';
import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import { hasEnded } from '../../src/core/kubernetes/has-ended.js';
import { podLimits } from '../../src/core/kubernetes/pod-resources/pod-limits.js';
import { podRequests } from '../../src/core/kubernetes/pod-resources/pod-requests.js';
import {
  addAmounts,
  parseResourceList,
  type ResourceAmounts,
} from '../../src/core/kubernetes/pod-resources/resource-amounts.js';
import type { BenchCluster } from '../bench-cluster.js';
import { timed, type Benchmark } from '../measure.js';

/** Computes the allocation of every node from a loaded state. */
export const nodeAllocation = (cluster: BenchCluster): Benchmark => ({
  name: 'node-allocation',
  unit: 'ms',
  target: { absolute: 2000, ratio: 5 },
  about:
    'what the pods of every node hold of it and what is free, as kubectl and as the scheduler count; reference: the requests and limits of each pod added up plainly, node by node',
  rounds: 7,
  prepare: () => {
    const { state } = cluster;
    const found = allocationsOf(state);
    for (const [node, sums] of plainSums(state).entries()) {
      for (const { resource, requests, limits } of found[node]!.resources) {
        const agree =
          requests.quantity.cmp(sums.requests.get(resource) ?? ZERO) === 0 &&
          limits.quantity.cmp(sums.limits.get(resource) ?? ZERO) === 0;
        if (!agree) throw new Error(`node-allocation: the two disagree on ${resource} of ${state.nodes.name(node)}`);
      }
    }
    return { subject: timed('ms', () => allocationsOf(state)), reference: timed('ms', () => plainSums(state)) };
  },
});

const ZERO = parseResourceList({ zero: '0' }).get('zero')!;

function allocationsOf(state: ClusterState): readonly NodeAllocationSummary[] {
  const steps = stepNodeAllocations(state);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

interface Sums {
  readonly requests: ResourceAmounts;
  readonly limits: ResourceAmounts;
}

function plainSums({ nodes, pods }: ClusterState): readonly Sums[] {
  const sums = Array.from({ length: nodes.count }, (): Sums => ({ requests: new Map(), limits: new Map() }));
  for (let index = 0; index < pods.count; index++) {
    const node = pods.nodeIndex(index);
    const pod = pods.pod(index);
    if (node < 0 || hasEnded(pod)) continue;
    addAmounts(sums[node]!.requests, podRequests(pod));
    addAmounts(sums[node]!.limits, podLimits(pod));
  }
  return sums;
}
