import { DEFAULT_GATES } from '../../src/core/kubernetes/toleration.js';
import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import { evictionTime } from '../../src/core/eviction/eviction-time.js';
import { exactly } from '../../src/core/eviction/known-moment.js';
import type { NodeTimeline } from '../../src/core/eviction-schedule/node-timeline.js';
import { stepScheduleSummary } from '../../src/core/eviction-schedule/schedule-summary.js';
import {
  type Schedule,
  type ScheduleQuestion,
  stepChangedSchedule,
  stepSchedule,
} from '../../src/core/eviction-schedule/step-schedule.js';
import { finish } from '../../src/core/collections/finish.js';
import type { Taint } from '../../src/core/kubernetes/objects/taints.js';
import type { Node } from '../../src/core/kubernetes/objects/node.js';
import { DEFAULT_LIFECYCLE_PARAMETERS } from '../../src/core/node-lifecycle/lifecycle-parameters.js';
import { stepOutage } from '../../src/core/node-lifecycle/outage.js';
import type { BenchCluster } from '../bench-cluster.js';
import { timed, type Benchmark } from '../measure.js';

/** A time after the last heartbeat of the generated nodes. */
const NOW = Date.UTC(2026, 7, 1);
const HOUR = 3_600_000;
const MAINTENANCE: Taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' };

/** Adds to each node a NoExecute taint that most pods tolerate for a limited time. */
function everyNodeTainted(state: ClusterState): ScheduleQuestion {
  const timelines = state.taintSets.map((taints): NodeTimeline => {
    const noExecute = taints.filter(({ effect }) => effect === 'NoExecute');
    return [{ moment: exactly(NOW), known: 'question', taints: [...noExecute, MAINTENANCE] }];
  });
  return {
    state,
    gates: DEFAULT_GATES,
    seenAt: NOW,
    timelineOf: (node) => timelines[state.nodes.taintSetId(node)],
    boundAt: () => exactly(0),
  };
}

const summed = (state: ClusterState, schedule: Schedule) =>
  finish(stepScheduleSummary(state, schedule, { asOf: NOW, mostListed: 1000, mostMinutes: 10_000 }));

/** The naive reference: computes each pod's eviction time and counts the outcomes. */
function plainLoop(state: ClusterState): { now: number; at: number; never: number } {
  const counts = { now: 0, at: 0, never: 0 };
  const { pods, nodes } = state;
  for (let pod = 0; pod < pods.count; pod++) {
    const node = pods.nodeIndex(pod);
    if (node < 0 || pods.terminating(pod)) continue;
    const taints = [...(nodes.node(node).spec!.taints ?? []), MAINTENANCE];
    const { action } = evictionTime(pods.pod(pod).spec.tolerations ?? [], taints, DEFAULT_GATES);
    counts[action === 'now' ? 'now' : action === 'after' ? 'at' : 'never']++;
  }
  return counts;
}

/** Computes the eviction schedule of the whole cluster with its totals. */
export const evictionSchedule = (cluster: BenchCluster): Benchmark => ({
  name: 'eviction-schedule',
  unit: 'ms',
  target: { absolute: 500, ratio: 2 },
  about: `the eviction schedule of ${cluster.shape.pods} pods when every node gets a NoExecute taint, with its sums by time, node and workload; reference: a plain loop over the pods that only counts`,
  rounds: 5,
  prepare: () => {
    const { state } = cluster;
    const question = everyNodeTainted(state);
    const { now, at, never } = summed(state, finish(stepSchedule(question))).counts;
    const plain = plainLoop(state);
    if (now !== plain.now || at !== plain.at || never !== plain.never) {
      throw new Error('eviction-schedule: the schedule and the plain loop disagree');
    }
    console.log(`  ${now} now, ${at} later, ${never} never`);
    return {
      subject: timed('ms', () => summed(state, finish(stepSchedule(question)))),
      reference: timed('ms', () => plainLoop(state)),
    };
  },
});

/** Computes the same schedule after a taint change on one node. */
export const evictionScheduleDelta = (cluster: BenchCluster): Benchmark => ({
  name: 'eviction-schedule-delta',
  unit: 'ms',
  target: { absolute: 5, ratio: 10 },
  about:
    'the schedule of a whole cluster after a taint change of one node, from the schedule before; reference: computed from scratch',
  rounds: 20,
  prepare: () => {
    const { state } = cluster;
    const former = finish(stepSchedule(everyNodeTainted(state)));
    const node = Math.floor(state.nodes.count / 2);
    const before = state.nodes.node(node);
    const edited: Node = { ...before, spec: { ...before.spec, taints: [{ key: 'x', effect: 'NoExecute' }] } };
    const after = state.fork().apply({ upserts: [edited], deletes: [] });
    const question = everyNodeTainted(after);
    const change = (): Schedule => finish(stepChangedSchedule(former, { ...question, nodes: [node] }));
    const fromScratch = (): Schedule => finish(stepSchedule(question));
    const [ours, theirs] = [summed(after, change()), summed(after, fromScratch())];
    if (JSON.stringify(ours) !== JSON.stringify(theirs)) throw new Error('eviction-schedule-delta: the two disagree');
    return { subject: timed('ms', change), reference: timed('ms', fromScratch) };
  },
});

/** Simulates a zone outage of several hours: the node lifecycle controller's actions and the resulting evictions. */
export const zoneFailure = (cluster: BenchCluster): Benchmark => ({
  name: 'zone-failure',
  unit: 's',
  target: { absolute: 3 },
  about: `one zone of ${cluster.shape.nodes} nodes falls silent and is followed for 4 hours: taints by turn, and the schedule of its pods; reference: the schedule alone, with all taints at once`,
  rounds: 3,
  prepare: () => {
    const { state } = cluster;
    const zone = zoneOf(state, 0);
    const nodes = Array.from({ length: state.nodes.count }, (_, node) => node).filter(
      (node) => zoneOf(state, node) === zone,
    );
    const follow = (): { readonly leaving: number; readonly tainted: number } => {
      const { changes } = finish(
        stepOutage(state, [{ nodes, fromAt: NOW, how: 'silent' }], {
          parameters: DEFAULT_LIFECYCLE_PARAMETERS,
          phaseMs: 0,
          fromAt: NOW,
          untilAt: NOW + 4 * HOUR,
        }),
      );
      const timelines = new Map<number, NodeTimeline>();
      for (const { at, node, taints, added } of changes) {
        if (!added.some(({ effect }) => effect === 'NoExecute')) continue;
        const noExecute = taints.filter(({ effect }) => effect === 'NoExecute');
        timelines.set(node, [{ moment: exactly(at), known: 'nodeLifecycle', taints: noExecute }]);
      }
      const schedule = finish(stepSchedule({ ...everyNodeTainted(state), timelineOf: (node) => timelines.get(node) }));
      const { counts } = summed(state, schedule);
      return { leaving: counts.now + counts.at, tainted: timelines.size };
    };
    const { leaving, tainted } = follow();
    console.log(
      `  ${nodes.length} nodes fall silent, ${tainted} get their taint within 4 hours, ${leaving} pods leave`,
    );
    const question = { ...everyNodeTainted(state), nodes };
    return {
      subject: timed('s', follow),
      reference: timed('s', () => summed(state, finish(stepSchedule(question)))),
    };
  },
});

const zoneOf = ({ nodes }: ClusterState, node: number): string =>
  nodes.labels(node)['topology.kubernetes.io/zone'] ?? '';
