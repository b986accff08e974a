import { DEFAULT_GATES, findUntolerated } from '../../src/core/kubernetes/toleration.js';
import { TaintMatrix } from '../../src/core/placement/taint-matrix.js';
import type { BenchCluster } from '../bench-cluster.js';
import { timed, type Benchmark } from '../measure.js';

const HARD_EFFECTS = ['NoSchedule', 'NoExecute'];

/** The number of pods in the reference's sample: the full loop would take most of a minute. */
const SAMPLE = 500;

/** Evaluates the taints of every node for every pod, from a loaded state. */
export const taintMatrix = (cluster: BenchCluster): Benchmark => ({
  name: 'taint-matrix',
  unit: 'ms',
  target: { absolute: 100, ratio: 500 },
  about: `every pod against every node on taints; reference: the plain double loop over pods and nodes, over ${SAMPLE} pods spread evenly and scaled up to all`,
  rounds: 7,
  prepare: () => {
    const { state } = cluster;
    const { pods, nodes, tolerationSets, taintSets } = state;
    const sample = Array.from({ length: Math.min(SAMPLE, pods.count) }, (_, index) =>
      Math.floor((index * pods.count) / Math.min(SAMPLE, pods.count)),
    );
    const tolerations = sample.map((pod) => tolerationSets[pods.tolerationSetId(pod)]!);
    const taints = Array.from(nodes.taintSetIds, (id) => taintSets[id]!);
    const plainLoop = (): number => {
      let pairs = 0;
      for (const podTolerations of tolerations) {
        for (const nodeTaints of taints) {
          if (findUntolerated(podTolerations, nodeTaints, HARD_EFFECTS, DEFAULT_GATES) === undefined) pairs++;
        }
      }
      return pairs;
    };
    const nodesByPod = new TaintMatrix(state, DEFAULT_GATES).nodesByPod();
    const expected = sample.reduce((sum, pod) => sum + nodesByPod[pod]!, 0);
    if (plainLoop() !== expected) throw new Error('taint-matrix: the matrix and the plain loop disagree');
    const podsPerSample = pods.count / sample.length;
    return {
      subject: timed('ms', () => {
        const matrix = new TaintMatrix(state, DEFAULT_GATES);
        matrix.nodesByPod();
        matrix.podsByNode();
      }),
      reference: timed('ms', plainLoop, 1 / podsPerSample),
    };
  },
});
