import { stringifyJson } from '../../../src/core/json/lossless-json.js';
import { NOT_READY, UNREACHABLE } from '../../../src/core/kubernetes/condition-taints.js';
import type { Taint } from '../../../src/core/kubernetes/objects/taints.js';
import { formatTaint } from '../../../src/core/kubernetes/taint.js';
import type { LifecycleParameters } from '../../../src/core/node-lifecycle/lifecycle-parameters.js';
import type {
  LifecycleNode,
  LifecycleTimeline,
  TaintChange,
} from '../../../src/core/node-lifecycle/lifecycle-timeline.js';
import { simulateLifecycle } from '../../../src/core/node-lifecycle/simulate-lifecycle.js';
import { zoneKey } from '../../../src/core/node-lifecycle/zone-key.js';
import { eventsOf, isWatched } from './conditions-events.js';
import { rulesOfRecording } from './rules-of-recording.js';
import { isControllersOwn, type RecordedConditions, type SeenNode } from './conditions-recording.js';

/** Seconds without changes before lists are compared. */
const QUIET = 1;
/** Seconds by which a watch may see a change later than we have it: after a cause, and after a pass. */
const AFTER_CAUSE = 1;
const AFTER_PASS = 1.5;
/** Seconds by which each turn of a queue may come later than its token. */
const TICK = 0.1;
/** Seconds by which we may have a pass later than it was, since phases are tried in steps. */
const EARLY = 0.1;
/** Seconds between the times that we and the recording write on one taint: lag, and whole seconds. */
const TIME_ADDED_WITHIN = 2.5;
/** Seconds before the start from which on the controller is known to run. */
const LEAD = 60;

/** One way in which the controller may have run. */
export interface Explanation {
  readonly parameters: LifecycleParameters;
  readonly phaseMs: number;
  /** Whether another zone has a node that is ready. */
  readonly othersHealthy: boolean;
}

/** The first difference between a recording and the expectation, in seconds from its start. */
export interface Departure {
  readonly at: number;
  readonly difference: string;
}

/** Whether the taints of a recording come and go as they would have if the controller ran like this; undefined where they do. */
export function explainRecording(recording: RecordedConditions, explanation: Explanation): Departure | undefined {
  const startAt = Date.parse(recording.observed.startTime);
  const timeline = simulated(recording, explanation, startAt);
  const departures = recording.input.nodes.flatMap(({ metadata: { name } }) => {
    const seen = recording.observed.nodeTimeline[name] ?? [];
    const ours = segmentsOf(name, timeline, startAt);
    return [...departuresIn(seen, ours, recording.input.observeUntil), ...silentConditions(name, seen, timeline)].map(
      ({ at, difference }) => ({ at, difference: `${name} at ${at.toFixed(3)} s: ${difference}` }),
    );
  });
  return departures.sort((a, b) => a.at - b.at)[0];
}

function simulated(recording: RecordedConditions, explanation: Explanation, startAt: number): LifecycleTimeline {
  const { parameters, phaseMs, othersHealthy } = explanation;
  const { input, observed } = recording;
  const periodMs = parameters.nodeMonitorPeriodSeconds * 1000;
  const fromAt = startAt - Math.ceil((LEAD * 1000) / periodMs) * periodMs;
  const lastPassAt = (at: number): number =>
    fromAt + phaseMs + Math.floor((at + EARLY * 1000 - fromAt - phaseMs) / periodMs) * periodMs;
  const zones = new Set(input.nodes.map(({ metadata }) => zoneKey(metadata.labels ?? {})));
  const steps = simulateLifecycle({
    nodes: [
      ...[...zones].flatMap((zone) =>
        Array.from({ length: input.healthyMatesInSameZone ?? 0 }, (_, index) =>
          readyNode(`mate-${index}-${zone}`, zone),
        ),
      ),
      ...input.nodes
        .filter(({ metadata }) => !isWatched(recording, metadata.name))
        .map(({ metadata: { name, labels = {} } }) => readyNode(name, zoneKey(labels))),
      ...(othersHealthy ? [readyNode('elsewhere', 'elsewhere')] : []),
    ],
    events: eventsOf(recording, { startAt, parameters, lastPassAt }),
    parameters,
    rules: rulesOfRecording(recording as { readonly k8sVersion?: unknown }),
    phaseMs,
    fromAt,
    untilAt: startAt + input.observeUntil * 1000,
    // Which node of a zone comes first is the controller's chance: take it as it was seen.
    rank: (name, at) => nextTurn(observed.nodeTimeline[name] ?? [], (at - startAt) / 1000),
  });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const readyNode = (name: string, zone: string): LifecycleNode => ({
  name,
  zone,
  conditions: [{ type: 'Ready', status: 'True' }],
  taints: [],
  heartbeats: true,
});

/** When a node is next seen to have got its NoExecute taint. */
function nextTurn(seen: readonly SeenNode[], from: number): number {
  const found = seen.find(
    ({ at, taints }, index) => at >= from - EARLY && hasNoExecute(taints) && !hasNoExecute(seen[index - 1]?.taints),
  );
  return found?.at ?? Number.POSITIVE_INFINITY;
}

const hasNoExecute = (taints: readonly Taint[] | null | undefined): boolean =>
  taints?.some(({ key, effect }) => effect === 'NoExecute' && (key === NOT_READY || key === UNREACHABLE)) ?? false;

/** A list of taints that we expect from one moment until another, and may still be seen for some time after; in seconds. */
interface Segment {
  readonly from: number;
  until: number;
  readonly taints: readonly Taint[];
}

function segmentsOf(name: string, { changes, conditionChanges }: LifecycleTimeline, startAt: number): Segment[] {
  const segments: Segment[] = [];
  let turns = 0;
  for (const change of changes) {
    if (change.cause === 'turn') turns += 1;
    if (change.node !== name) continue;
    const at = (change.at - startAt) / 1000;
    const last = segments.at(-1);
    const byPass = conditionChanges.some(
      (other) => other.node === name && other.at === change.at && other.by === 'controller',
    );
    if (last !== undefined) last.until = at + lagOf(change, byPass) + (change.cause === 'turn' ? turns * TICK : 0);
    segments.push({ from: at, until: Number.POSITIVE_INFINITY, taints: change.taints });
  }
  return segments;
}

const lagOf = ({ cause }: TaintChange, byPass: boolean): number =>
  (cause === 'conditions' && !byPass) || cause === 'written' ? AFTER_CAUSE : AFTER_PASS;

/** Where a node is seen, quiet for a while, with other taints than we expect at that time. */
function departuresIn(seen: readonly SeenNode[], ours: readonly Segment[], observeUntil: number): Departure[] {
  return seen.flatMap(({ at, taints, event }, index) => {
    if (event === 'DELETED') return [];
    const end = Math.min(seen[index + 1]?.at ?? Number.POSITIVE_INFINITY, observeUntil);
    let reached = at + QUIET;
    while (reached < end) {
      const moment = reached;
      const covering = ours.filter(
        (segment) =>
          segment.from - EARLY <= moment && moment < segment.until && sameTaints(segment.taints, taints ?? []),
      );
      reached = Math.max(reached, ...covering.map(({ until }) => until));
      if (reached === moment) return [{ at: moment, difference: differenceAt(ours, moment, taints ?? []) }];
    }
    return [];
  });
}

function differenceAt(ours: readonly Segment[], at: number, seen: readonly Taint[]): string {
  const expected = ours.findLast(({ from }) => from <= at)?.taints ?? [];
  const texts = (taints: readonly Taint[]): string => stringifyJson(taints.map(formatTaint));
  return `seen ${texts(seen)}, expected ${texts(expected)}`;
}

/** The same taints in the same order; of two that the controller's two loops add within the same second either may stand first. */
function sameTaints(ours: readonly Taint[], seen: readonly Taint[]): boolean {
  return sameInOrder(ours, seen) || sameInOrder(inLoopOrder(ours), inLoopOrder(seen));
}

const sameInOrder = (ours: readonly Taint[], seen: readonly Taint[]): boolean =>
  ours.length === seen.length &&
  ours.every((taint, index) => {
    const other = seen[index]!;
    if (formatTaint(taint) !== formatTaint(other)) return false;
    const [mine, theirs] = [taint.timeAdded, other.timeAdded];
    if (mine === undefined || theirs === undefined) return mine === theirs;
    return secondsBetween(mine, theirs) <= TIME_ADDED_WITHIN;
  });

function inLoopOrder(taints: readonly Taint[]): readonly Taint[] {
  const list = [...taints];
  for (let end = list.length - 1; end > 0; end--) {
    for (let index = 0; index < end; index++) {
      const [first, second] = [list[index]!, list[index + 1]!];
      if (first.effect !== 'NoExecute' || second.effect !== 'NoSchedule') continue;
      if (first.timeAdded === undefined || second.timeAdded === undefined) continue;
      if (secondsBetween(first.timeAdded, second.timeAdded) <= 1) [list[index], list[index + 1]] = [second, first];
    }
  }
  return list;
}

const secondsBetween = (a: string, b: string): number => Math.abs(Date.parse(a) - Date.parse(b)) / 1000;

/** Where the controller itself wrote other conditions than ours, the first time that it wrote any. */
function silentConditions(
  name: string,
  seen: readonly SeenNode[],
  { conditionChanges }: LifecycleTimeline,
): Departure[] {
  const ours = conditionChanges.find((change) => change.node === name && change.by === 'controller')?.conditions;
  const theirs = seen.find((node) => isControllersOwn(node));
  if (ours === undefined || theirs?.conditions === undefined) return [];
  const expected = stringifyJson(ours.map(({ type, status }) => [type, status]));
  const shown = stringifyJson(Object.entries(theirs.conditions));
  return expected === shown ? [] : [{ at: theirs.at, difference: `conditions seen ${shown}, expected ${expected}` }];
}
