import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { exactly } from '../../core/eviction/known-moment.js';
import type { Schedule } from '../../core/eviction-schedule/step-schedule.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import { evictionTime } from '../../core/eviction/eviction-time.js';
import { delayMsOf } from '../../core/eviction/timer-decision.js';
import { NOT_READY_NO_EXECUTE, UNREACHABLE_NO_EXECUTE } from '../../core/kubernetes/condition-taints.js';
import { zoneKey, zoneName } from '../../core/node-lifecycle/zone-key.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import type { TimeSlices } from '../states/time-slices.js';
import type { FollowedOutages } from './follow-outages.js';
import type { ReadQuestion } from './read-question.js';
import type { NodeChange } from './schedule-inputs.js';
import { momentResponse, type ScheduleResponse, timeText } from './schedule-response.js';

/** Maximum number of changes listed; all are counted. */
const MAX_LISTED = 1_000;

/** Pods that are looked at in one step. */
const STRIDE = 1024;

/** The simulated node failures. Runs in steps; yields nothing. */
export function* stepOutageResponse(
  question: ReadQuestion,
  { pods, outcomes }: Schedule,
  followed: FollowedOutages,
): Generator<undefined, NonNullable<ScheduleResponse['outage']>> {
  const began = Math.min(...question.outages.map(({ fromAt }) => fromAt));
  const { zones, queued } = followed.timeline;
  let surely = false;
  let first = yield* stepFirstInOtherPhases(question, followed);
  for (let row = 0; row < outcomes.length; row++) {
    if (row % STRIDE === STRIDE - 1) yield undefined;
    const { at, situation, mayHaveLeftSince } = outcomes[row]!;
    if (question.state.pods.terminating(pods[row]!)) continue;
    if (at !== null && situation?.known === 'nodeLifecycle') {
      surely ||= situation.perhaps !== true;
      first = Math.min(first, at.earliest);
    }
    if (mayHaveLeftSince !== null) first = Math.min(first, mayHaveLeftSince);
  }
  return {
    zones: zones.map(({ states, ...zone }) => ({
      ...zone,
      states: states.map(({ at, ...state }) => ({ at: timeText(at), ...state })),
    })),
    waiting: queued.length,
    evicts: surely ? 'yes' : first < Infinity ? 'perhaps' : 'no',
    firstEvictionAfterSeconds: first < Infinity ? Math.max(0, first - began) / 1000 : null,
  };
}

/**
 * The earliest time at which a pod leaves because of taints that occur only in another phase of the controller's
 * passes.
 */
function* stepFirstInOtherPhases(
  { state, nodes, outages, lifecycle }: ReadQuestion,
  { perhapsFrom }: FollowedOutages,
): Generator<undefined, number> {
  let first = Infinity;
  if (perhapsFrom.size === 0) return first;
  const asked = new Set(nodes);
  let looked = 0;
  for (const { nodes: failing, how, fromAt, untilAt = Infinity } of outages) {
    const taint = how === 'silent' ? UNREACHABLE_NO_EXECUTE : NOT_READY_NO_EXECUTE;
    const goesAt = untilAt + 2 * lifecycle.nodeMonitorPeriodSeconds * 1000;
    for (const node of failing) {
      const turnAt = perhapsFrom.get(zoneName(zoneKey(state.nodes.labels(node))));
      if (turnAt === undefined || !asked.has(node)) continue;
      const comesAt = Math.max(turnAt, fromAt);
      for (const pod of state.nodes.podsOf(node)) {
        if (++looked % STRIDE === 0) yield undefined;
        if (state.pods.terminating(pod)) continue;
        const tolerations = state.tolerationSets[state.pods.tolerationSetId(pod)]!;
        const time = evictionTime(tolerations, [taint], gatesOf(state.rules));
        if (time.action === 'none' || time.action === 'never') continue;
        const leavesAt = comesAt + ('delay' in time ? delayMsOf(time) : 0);
        if (leavesAt <= goesAt) first = Math.min(first, leavesAt);
      }
    }
  }
  return first;
}

/** The node changes that the schedule is based on, with those of the scenario first. */
export async function changesResponse(
  { state, stored, asOf }: ReadQuestion,
  changes: readonly NodeChange[],
  slices: TimeSlices,
): Promise<ScheduleResponse['changes']> {
  const items: ChangeResponse[] = [];
  const hypothetical = state === stored ? 0 : await scenarioChanges({ state, stored, asOf }, items, slices);
  const last = new Map<number, readonly string[]>();
  for (const { at, moment, node, taints, why } of changes) {
    if (items.length === MAX_LISTED) break;
    if (slices.due()) await slices.pause();
    const before = last.get(node) ?? taintTexts(state, node);
    const after = taints.map(formatTaint);
    last.set(node, after);
    const name = state.nodes.name(node);
    items.push({ at: timeText(at), moment: momentResponse(moment), node: name, ...differenceOf(before, after), why });
  }
  return { total: changes.length + hypothetical, items };
}

type ChangeResponse = ScheduleResponse['changes']['items'][number];

/** Lists the changes of a scenario. @returns the number of nodes */
async function scenarioChanges(
  { state, stored, asOf }: Pick<ReadQuestion, 'state' | 'stored' | 'asOf'>,
  items: ChangeResponse[],
  slices: TimeSlices,
): Promise<number> {
  const at = timeText(asOf);
  const moment = momentResponse(exactly(asOf));
  let changed = 0;
  for (let node = 0; node < state.nodes.count; node++) {
    if (slices.due()) await slices.pause();
    const name = state.nodes.name(node);
    const was = stored.nodes.indexOf(name);
    const { added, removed } = differenceOf(was < 0 ? [] : taintTexts(stored, was), taintTexts(state, node));
    if (added.length + removed.length === 0) continue;
    changed++;
    if (items.length < MAX_LISTED) {
      items.push({ at, moment, node: name, added, removed, why: 'Set by the scenario.' });
    }
  }
  return changed;
}

const differenceOf = (
  before: readonly string[],
  after: readonly string[],
): Pick<ChangeResponse, 'added' | 'removed'> => ({
  added: after.filter((taint) => !before.includes(taint)),
  removed: before.filter((taint) => !after.includes(taint)),
});

const taintTexts = ({ nodes, taintSets }: ClusterState, node: number): readonly string[] =>
  taintSets[nodes.taintSetId(node)]!.map(formatTaint);
