import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import { rulesOfMinor } from '../../src/core/kubernetes/kubernetes-rules.js';
import type { Pod } from '../../src/core/kubernetes/objects/pod.js';
import { gatesOf } from '../../src/core/kubernetes/toleration.js';
import { evaluatePlacement } from '../../src/core/placement/evaluate-placement.js';
import { DEFAULT_PROFILE } from '../../src/core/scheduler-configuration/default-profile.js';
import { rankPlacement } from '../../src/core/scheduling/node-ranking.js';
import { profilePlugins } from '../../src/core/scheduling/profile-plugins.js';
import { SchedulingRun } from '../../src/core/scheduling/run/scheduling-run.js';
import type { SchedulingProfile } from '../../src/core/scheduling/schedule-pod.js';
import type { BenchCluster } from '../bench-cluster.js';
import { timed, type Benchmark } from '../measure.js';
import { ask, deployments } from './gate.js';
import { emptied, pendingPods } from './queue.js';
import { newPodsLike } from './sample-pods.js';

const OLDEST = 31;
const NEWEST = 36;
/** At most 2 % slower: an older rule may well be faster. */
const TARGET = { ratio: 0.98 };

interface Question {
  readonly name: string;
  readonly what: string;
  readonly rounds: number;
  readonly unit: 'us' | 'ms';
  /** Pods that one run asks about. */
  readonly pods: number;
  readonly stateOf: (state: ClusterState) => ClusterState;
  /** Returns what is asked again and again, of any state of the cluster. */
  readonly prepare: (state: ClusterState) => (state: ClusterState) => unknown;
}

const QUESTIONS: readonly Question[] = [
  {
    name: 'filters',
    what: 'one pod over all nodes by every filter',
    rounds: 25,
    unit: 'us',
    pods: 100,
    stateOf: (state) => state,
    prepare: (state) => {
      const pods = newPodsLike(state, 100);
      return (under) => pods.reduce((sum, pod) => sum + infeasible(under, pod), 0);
    },
  },
  {
    name: 'rank',
    what: 'one pod over all nodes by every filter and score',
    rounds: 25,
    unit: 'us',
    pods: 50,
    stateOf: (state) => state,
    prepare: (state) => {
      const pods = newPodsLike(state, 50);
      return (under) => pods.reduce((sum, pod) => sum + best(under, pod), 0);
    },
  },
  {
    name: 'queue',
    what: '4000 pending pods, one after another on empty nodes',
    rounds: 15,
    unit: 'ms',
    pods: 1,
    stateOf: emptied,
    prepare: (state) => {
      const pending = pendingPods(state, 4000, (spec) => ({ ...spec, topologySpreadConstraints: [] }));
      return (under) => {
        const run = new SchedulingRun(under, profileOf(under));
        return pending.reduce((sum, pod) => sum + (run.schedule(pod).outcome === 'placed' ? 1 : 0), 0);
      };
    },
  },
  {
    name: 'gate',
    what: 'a gate of a Deployment of 50 replicas, the mean of 40',
    rounds: 15,
    unit: 'ms',
    pods: 40,
    stateOf: (state) => state,
    prepare: (state) => {
      const manifests = deployments(state, 40, 50);
      return (under) => manifests.reduce((sum, manifest) => sum + ask(under, [manifest]).rollout.work, 0);
    },
  },
];

/**
 * Versions cost nothing: each question by the rules of the oldest version, and by those of the newest after the state was under others, beside
 * the same question to a state that never was.
 *
 * Where the rules themselves differ, so does the time: since 1.36 NodeResourcesBalancedAllocation computes two balances of each node, so ranking
 * is faster by older rules; before 1.33 it scores pods without requests, too, and before 1.32 every change of a node may have a waiting pod tried
 * again, so a queue and a gate do more.
 */
export const byVersion = (cluster: BenchCluster): readonly Benchmark[] =>
  QUESTIONS.flatMap((question) => [
    paired(cluster, question, `${question.name}-by-version`, `the rules of 1.${OLDEST}`, (state) =>
      state.under(rulesOfMinor(OLDEST)),
    ),
    paired(
      cluster,
      question,
      `${question.name}-by-question`,
      `1.${NEWEST}, asked of a cluster of 1.${OLDEST}`,
      (state) => state.under(rulesOfMinor(OLDEST)).under(rulesOfMinor(NEWEST)),
    ),
  ]);

const paired = (
  cluster: BenchCluster,
  { what, rounds, unit, pods, stateOf, prepare }: Question,
  name: string,
  rules: string,
  under: (state: ClusterState) => ClusterState,
): Benchmark => ({
  name,
  unit,
  target: TARGET,
  about: `${what}, by ${rules}; reference: the same to a cluster of 1.${NEWEST}`,
  rounds,
  prepare: () => {
    const asked = prepare(cluster.state);
    const newest = stateOf(cluster.state);
    const other = under(newest);
    return {
      subject: timed(unit, () => asked(other), pods),
      reference: timed(unit, () => asked(newest), pods),
    };
  },
});

const profileOf = (state: ClusterState): SchedulingProfile => profilePlugins(DEFAULT_PROFILE, gatesOf(state.rules));

function infeasible(state: ClusterState, pod: Pod): number {
  const { filters, gates } = profileOf(state);
  return evaluatePlacement(state, { pod, filters, gates }).counts.infeasible;
}

function best(state: ClusterState, pod: Pod): number {
  const profile = profileOf(state);
  return rankPlacement(evaluatePlacement(state, { pod, filters: profile.filters, gates: profile.gates }), profile).tied;
}
