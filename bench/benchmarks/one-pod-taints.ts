import { DEFAULT_GATES, findUntolerated } from '../../src/core/kubernetes/toleration.js';
import { evaluatePlacement } from '../../src/core/placement/evaluate-placement.js';
import type { BenchCluster } from '../bench-cluster.js';
import { timed, type Benchmark } from '../measure.js';
import { newPodsLike } from './sample-pods.js';

const PODS = 200;
const FILTERS = ['TaintToleration'];
const HARD_EFFECTS = ['NoSchedule', 'NoExecute'];

/** Evaluates the taints of all nodes for one pod, averaged over pods of all kinds. */
export const onePodTaints = (cluster: BenchCluster): Benchmark => ({
  name: 'one-pod-taints',
  unit: 'us',
  target: { absolute: 50 },
  about: `one pod against all nodes on taints, the mean of ${PODS} pods; reference: the plain toleration function, node by node`,
  rounds: 9,
  prepare: () => {
    const { state } = cluster;
    const pods = newPodsLike(state, PODS);
    const taints = Array.from(state.nodes.taintSetIds, (id) => state.taintSets[id]!);
    const evaluated = (): number =>
      pods.reduce((sum, pod) => sum + evaluatePlacement(state, { pod, filterNames: FILTERS }).counts.feasible, 0);
    const plain = (): number =>
      pods.reduce((sum, { spec }) => {
        const tolerated = taints.filter(
          (onNode) => findUntolerated(spec.tolerations ?? [], onNode, HARD_EFFECTS, DEFAULT_GATES) === undefined,
        );
        return sum + tolerated.length;
      }, 0);
    if (evaluated() !== plain()) throw new Error('one-pod-taints: the placement and the plain function disagree');
    return { subject: timed('us', evaluated, pods.length), reference: timed('us', plain, pods.length) };
  },
});
