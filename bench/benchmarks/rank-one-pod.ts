import { DEFAULT_GATES } from '../../src/core/kubernetes/toleration.js';
import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import type { Pod } from '../../src/core/kubernetes/objects/pod.js';
import { evaluateNode, evaluatePlacement } from '../../src/core/placement/evaluate-placement.js';
import { rankNodes } from '../../src/core/placement/rank-nodes.js';
import { DEFAULT_PROFILE } from '../../src/core/scheduler-configuration/default-profile.js';
import { rankPlacement } from '../../src/core/scheduling/node-ranking.js';
import { profilePlugins } from '../../src/core/scheduling/profile-plugins.js';
import type { BenchCluster } from '../bench-cluster.js';
import { timed, type Benchmark } from '../measure.js';
import { newPodsLike } from './sample-pods.js';

const PODS = 50;
const SAMPLED = 1;
const PROFILE = profilePlugins(DEFAULT_PROFILE, DEFAULT_GATES);
/** The number of nodes that a page shows. */
const SHOWN = 10;

/** Filters, scores and sorts all nodes for one pod, averaged over pods of all kinds. */
export const rankOnePod = (cluster: BenchCluster): Benchmark => ({
  name: 'rank-one-pod',
  unit: 'us',
  target: { absolute: 2000 },
  about: `one pod over all nodes by every filter and score, and the first ${SHOWN} with their arithmetic, the mean of ${PODS} pods; reference: each node filtered by itself, the same scores, sorted by their totals, with the same order (a sample of ${SAMPLED})`,
  rounds: 9,
  prepare: () => {
    const { state } = cluster;
    const pods = newPodsLike(state, PODS);
    const sample = pods.slice(0, SAMPLED);
    for (const pod of sample) {
      if (ranked(state, pod).join() !== plainlyRanked(state, pod).join())
        throw new Error('rank-one-pod: the two disagree');
    }
    return {
      subject: timed('us', () => pods.reduce((sum, pod) => sum + ranked(state, pod).length, 0), pods.length),
      reference: timed('us', () => sample.reduce((sum, pod) => sum + plainlyRanked(state, pod).length, 0), SAMPLED),
    };
  },
});

function ranked(state: ClusterState, pod: Pod): readonly number[] {
  const { filters } = PROFILE;
  const ranking = rankPlacement(evaluatePlacement(state, { pod, filters }), PROFILE);
  return ranking.nodes(0, SHOWN).map(({ node }) => node);
}

function plainlyRanked(state: ClusterState, pod: Pod): readonly number[] {
  const feasible: number[] = [];
  for (let node = 0; node < state.nodes.count; node++) {
    if (evaluateNode(state, { pod, filters: PROFILE.filters }, node).verdict === 'feasible') feasible.push(node);
  }
  const { totals, nodes } = rankNodes(state, { pod, nodes: Int32Array.from(feasible), ...PROFILE });
  const positions = [...totals.keys()].sort((a, b) => totals[b]! - totals[a]! || a - b);
  return positions.slice(0, SHOWN).map((position) => nodes[position]!);
}
