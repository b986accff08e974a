import { ClusterState } from '../../src/core/cluster/cluster-state.js';
import type { KubernetesObject } from '../../src/core/kubernetes/objects/meta.js';
import { LOADED_KINDS, type BenchCluster } from '../bench-cluster.js';
import { timed, type Benchmark } from '../measure.js';

/** The number of pods that a delta changes, in addition to one node. */
const PODS = 100;

/** Applies a small change to a loaded state: one node gets a taint, and a hundred pods get a label. */
export const stateApplyDelta = (cluster: BenchCluster): Benchmark => ({
  name: 'state-apply-delta',
  unit: 'ms',
  target: { ratio: 50 },
  about: `one node and ${PODS} pods changed in a loaded state; reference: the state built from scratch`,
  rounds: 3,
  prepare: () => {
    const { state } = cluster;
    const node = state.nodes.node(Math.floor(state.nodes.count / 2));
    const upserts: KubernetesObject[] = [
      {
        ...node,
        spec: { ...node.spec, taints: [{ key: 'example.com/changed', effect: 'NoSchedule' }] },
      } as KubernetesObject,
    ];
    for (let index = 0; index < Math.min(PODS, state.pods.count); index++) {
      const pod = state.pods.pod(Math.floor((index * state.pods.count) / PODS));
      upserts.push({ ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, changed: 'yes' } } });
    }
    const objects = [...cluster.objects()];
    return {
      subject: timed('ms', () => state.apply({ upserts })),
      reference: timed('ms', () => ClusterState.build(objects, LOADED_KINDS)),
    };
  },
});
