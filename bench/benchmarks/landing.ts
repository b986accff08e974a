import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import { DEFAULT_GATES } from '../../src/core/kubernetes/toleration.js';
import type { ReschedulingEvent, Rescheduling } from '../../src/core/rescheduling/rescheduling.js';
import { stepRescheduling } from '../../src/core/rescheduling/step-rescheduling.js';
import { DEFAULT_PROFILE } from '../../src/core/scheduler-configuration/default-profile.js';
import { profilePlugins } from '../../src/core/scheduling/profile-plugins.js';
import { schedulePod } from '../../src/core/scheduling/schedule-pod.js';
import type { BenchCluster } from '../bench-cluster.js';
import type { Benchmark } from '../measure.js';
import { newPodsLike } from './sample-pods.js';
import { size } from '../brief.js';

const PROFILE = profilePlugins(DEFAULT_PROFILE, DEFAULT_GATES);
const START = Date.UTC(2026, 4, 4);
/** A zone's eviction queue taints one node every ten seconds. */
const BETWEEN_NODES = 10_000;
const TOLERATED = 300_000;
const GRACE = 30_000;
const SAMPLED = size(200, 5);
const LISTED = 1000;

const UNREACHABLE = [
  { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
];

/** Fails every third node in turn. Its pods, except those of DaemonSets, are evicted five minutes later. */
function failures({ nodes, pods, taintSets }: ClusterState): readonly ReschedulingEvent[] {
  const events: ReschedulingEvent[] = [];
  let failed = 0;
  for (let node = 0; node < nodes.count; node += 3) {
    const at = START + failed++ * BETWEEN_NODES;
    events.push({ at, kind: 'taints', node, taints: [...taintSets[nodes.taintSetId(node)]!, ...UNREACHABLE] });
    for (const pod of nodes.podsOf(node)) {
      if (pods.ownerReferences(pod).some(({ kind }) => kind === 'DaemonSet')) continue;
      events.push({ at: at + TOLERATED, kind: 'marked', pod }, { at: at + TOLERATED + GRACE, kind: 'gone', pod });
    }
  }
  return events.sort((a, b) => a.at - b.at);
}

/** Computes where pods can land if a third of the nodes lose their pods over several hours. */
export const landing = (cluster: BenchCluster): Benchmark => ({
  name: 'landing',
  unit: 's',
  target: { absolute: 30, ratio: 2 },
  about:
    `where the pods of every third of ${cluster.shape.nodes} nodes land, moment by moment, each with those before it in place; ` +
    `reference: every filter and score asked once a pod, ${SAMPLED} pods scaled up, nothing put in place`,
  rounds: 3,
  prepare: () => {
    const { state } = cluster;
    const events = failures(state);
    const { totals, timeline, evaluations } = run(state, events).plan;
    if (totals.landed === 0) throw new Error('landing: no pod landed');
    console.log(
      `  ${totals.evicted} evicted, ${totals.replaced} recreated, ${totals.landed} land (${totals.landedLater} later), ` +
        `${totals.withoutNode} without a node, ${totals.unknown} unknown, ${timeline.total} moments, ${evaluations} full evaluations`,
    );
    const pods = newPodsLike(state, SAMPLED);
    return {
      subject: () => {
        const { seconds, longestMs } = run(state, events);
        console.log(`  longest step ${longestMs.toFixed(1)} ms`);
        return seconds;
      },
      reference: () => {
        const started = performance.now();
        for (const pod of pods) schedulePod(state, pod, PROFILE);
        return ((performance.now() - started) / 1000 / pods.length) * totals.replaced;
      },
    };
  },
});

function run(
  state: ClusterState,
  events: readonly ReschedulingEvent[],
): { readonly plan: Rescheduling; readonly seconds: number; readonly longestMs: number } {
  const started = performance.now();
  const steps = stepRescheduling(state, events, { gates: DEFAULT_GATES, mostListed: LISTED });
  let longestMs = 0;
  for (;;) {
    const before = performance.now();
    const step = steps.next();
    const after = performance.now();
    longestMs = Math.max(longestMs, after - before);
    if (step.done === true) return { plan: step.value, seconds: (after - started) / 1000, longestMs };
  }
}
