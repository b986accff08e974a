import { describe, expect, it } from '@jest/globals';
import { Dice } from '../../../test/support/dice.js';
import { ClusterState } from '../../core/cluster/cluster-state.js';
import { finish } from '../../core/collections/finish.js';
import { stepSchedule } from '../../core/eviction-schedule/step-schedule.js';
import { exactly } from '../../core/eviction/known-moment.js';
import type { Node } from '../../core/kubernetes/objects/node.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import { DEFAULT_LIFECYCLE_PARAMETERS } from '../../core/node-lifecycle/lifecycle-parameters.js';
import type { LifecycleEvent } from '../../core/node-lifecycle/lifecycle-timeline.js';
import { type Outage, stepPreparedOutage, stepPreparedTimeline } from '../../core/node-lifecycle/outage.js';
import { DEFAULT_GATES } from '../../core/kubernetes/toleration.js';
import { TimeSlices } from '../states/time-slices.js';
import { followOutages } from './follow-outages.js';
import { stepOutageResponse } from './node-changes-response.js';
import type { ReadQuestion } from './read-question.js';
import { stepScheduleQuestion } from './schedule-inputs.js';

const START = Date.parse('2026-05-04T12:00:00Z');
const HORIZON = START + 3_600_000;
const NODES = 6;

const node = (index: number): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: `n${index}`, labels: { 'topology.kubernetes.io/zone': index < 4 ? 'a' : 'b' } },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
});
const pod = (nodeName: string, seconds: number | undefined): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'd', name: `${nodeName}-${seconds ?? 'none'}` },
  spec: {
    nodeName,
    containers: [{ name: 'c', image: 'i' }],
    tolerations: seconds === undefined ? [] : [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds }],
  },
});
const STATES = [undefined, 10, 60, 300].map((seconds) =>
  ClusterState.build(
    [...Array.from({ length: NODES }, (_, index) => [node(index), pod(`n${index}`, seconds)]).flat()],
    ['Node', 'Pod'],
  ),
);

function questionOf(state: ClusterState, outages: readonly Outage[]): ReadQuestion {
  return {
    state,
    stored: state,
    nodes: Array.from({ length: NODES }, (_, index) => index),
    podLabels: undefined,
    seenAt: START,
    asOf: START,
    horizon: HORIZON,
    events: [],
    outages,
    lifecycle: DEFAULT_LIFECYCLE_PARAMETERS,
    controllerStart: undefined,
    warnings: [],
    gates: DEFAULT_GATES,
  };
}

async function told(question: ReadQuestion) {
  const followed = (await followOutages(question, new TimeSlices()))!;
  const past = { timelines: new Map(), histories: new Map() };
  const asked = finish(stepScheduleQuestion({ ...question, past, failures: followed.changes }));
  return finish(stepOutageResponse(question, finish(stepSchedule(asked.question)), followed));
}

/** Simulates one phase and one age of the last leases, and returns after how many seconds the first pod leaves. */
function firstIn(state: ClusterState, outages: readonly Outage[], phaseMs: number, ageMs: number): number {
  const prepared = finish(stepPreparedOutage(state, outages));
  const events = prepared.events.map((event): LifecycleEvent =>
    event.kind === 'silent' ? { ...event, lastHeartbeatAt: event.at - ageMs } : event,
  );
  const options = { parameters: DEFAULT_LIFECYCLE_PARAMETERS, phaseMs, fromAt: START, untilAt: HORIZON };
  const { changes } = finish(stepPreparedTimeline({ ...prepared, events }, options));
  const failures = changes.map(({ at, node: name, taints }) => ({
    at,
    moment: exactly(at),
    known: 'nodeLifecycle' as const,
    node: state.nodes.indexOf(name),
    taints,
    gone: false,
    why: '',
  }));
  const past = { timelines: new Map(), histories: new Map() };
  const { question } = finish(stepScheduleQuestion({ ...questionOf(state, outages), past, failures }));
  const { outcomes } = finish(stepSchedule({ ...question, gates: DEFAULT_GATES }));
  return Math.min(...outcomes.map(({ at }) => at?.latest ?? Infinity));
}

describe('whether a failure evicts anything', () => {
  it.each(Array.from({ length: 120 }, (_, seed) => seed + 1))('holds for every phase, seed %i', async (seed) => {
    const dice = new Dice(seed);
    const state = dice.one(STATES);
    const silentLengths = [30_000, 42_000, 48_000, 52_000, 57_000, 66_000, 120_000, 340_000, 352_000, 362_000];
    const outages = Array.from({ length: 1 + dice.below(2) }, (): Outage => {
      const how = dice.one(['silent', 'notReady'] as const);
      const fromAt = START + dice.below(20_000);
      const length = how === 'silent' ? dice.one(silentLengths) : dice.one([2, 4, 12, 70, 310]) * 1000;
      const first = dice.below(NODES);
      const nodes = Array.from({ length: 1 + dice.below(2) }, (_, index) => (first + index) % NODES);
      return { nodes, how, fromAt, untilAt: fromAt + length + dice.below(6000) };
    });
    const { evicts, firstEvictionAfterSeconds } = await told(questionOf(state, outages));
    const began = Math.min(...outages.map(({ fromAt }) => fromAt));
    for (let phaseMs = 0; phaseMs < 5000; phaseMs += 250) {
      for (const ageMs of [0, 5000, 10_000]) {
        const first = firstIn(state, outages, phaseMs, ageMs);
        if (evicts === 'no') expect(first).toBe(Infinity);
        if (evicts === 'yes') expect(first).toBeLessThan(Infinity);
        if (first < Infinity) expect((first - began) / 1000).toBeGreaterThanOrEqual(firstEvictionAfterSeconds!);
      }
    }
  });
});

describe('a failure of a node with many pods', () => {
  it('evicts the last of them, too', async () => {
    const stays: Pod['spec']['tolerations'] = [{ operator: 'Exists', effect: 'NoExecute' }];
    const leaves = pod('n0', 10);
    const pods = Array.from({ length: 2_000 }, (_, index): Pod => {
      const metadata = { namespace: 'd', name: `p-${10_000 + index}` };
      return index === 1_999
        ? { ...leaves, metadata }
        : { ...leaves, metadata, spec: { ...leaves.spec, tolerations: stays } };
    });
    const nodes = Array.from({ length: NODES }, (_, index) => node(index));
    const state = ClusterState.build([...nodes, ...pods], ['Node', 'Pod']);
    const outage: Outage = { nodes: [0], how: 'notReady', fromAt: START, untilAt: START + 310_000 };
    const { evicts, firstEvictionAfterSeconds } = await told(questionOf(state, [outage]));
    expect(evicts).toBe('yes');
    expect(firstEvictionAfterSeconds).toBeGreaterThanOrEqual(10);
  });
});
