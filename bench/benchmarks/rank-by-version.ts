import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import { rulesOfMinor } from '../../src/core/kubernetes/kubernetes-rules.js';
import type { Pod } from '../../src/core/kubernetes/objects/pod.js';
import { gatesOf } from '../../src/core/kubernetes/toleration.js';
import { evaluatePlacement } from '../../src/core/placement/evaluate-placement.js';
import { DEFAULT_PROFILE } from '../../src/core/scheduler-configuration/default-profile.js';
import { rankPlacement } from '../../src/core/scheduling/node-ranking.js';
import { profilePlugins } from '../../src/core/scheduling/profile-plugins.js';
import type { BenchCluster } from '../bench-cluster.js';
import { timed, type Benchmark } from '../measure.js';
import { newPodsLike } from './sample-pods.js';

const PODS = 50;
const OLD_MINOR = 33;

/** The rules of an older version cost nothing: the same pods, by its rules and by the newest. */
export const rankByVersion = (cluster: BenchCluster): Benchmark => ({
  name: 'rank-by-version',
  unit: 'us',
  target: { ratio: 0.98 },
  about: `one pod over all nodes by every filter and score of 1.${OLD_MINOR}, the mean of ${PODS} pods; reference: the same by 1.36`,
  rounds: 15,
  prepare: () => {
    const { state } = cluster;
    const older = state.under(rulesOfMinor(OLD_MINOR));
    const pods = newPodsLike(state, PODS);
    return {
      subject: timed('us', () => pods.reduce((sum, pod) => sum + best(older, pod), 0), pods.length),
      reference: timed('us', () => pods.reduce((sum, pod) => sum + best(state, pod), 0), pods.length),
    };
  },
});

function best(state: ClusterState, pod: Pod): number {
  const profile = profilePlugins(DEFAULT_PROFILE, gatesOf(state.rules));
  return rankPlacement(evaluatePlacement(state, { pod, filters: profile.filters }), profile).tied;
}
