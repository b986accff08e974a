import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { exactly } from '../../core/eviction-schedule/known-moment.js';
import type { Schedule } from '../../core/eviction-schedule/step-schedule.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import type { OutageTimeline } from '../../core/node-lifecycle/outage.js';
import type { TimeSlices } from '../states/time-slices.js';
import type { ReadQuestion } from './read-question.js';
import type { NodeChange } from './schedule-inputs.js';
import { momentView, type ScheduleView, timeText } from './schedule-view.js';

/** Changes that are told; all are counted. */
const MOST_LISTED = 1_000;

/** What failures of nodes come to. */
export function outageView(
  { state, outages }: ReadQuestion,
  { pods, outcomes }: Schedule,
  { zones, queued }: OutageTimeline,
): NonNullable<ScheduleView['outage']> {
  const began = Math.min(...outages.map(({ fromAt }) => fromAt));
  let first = Infinity;
  let perhaps = false;
  for (const [row, { at, situation, mayHaveLeftSince }] of outcomes.entries()) {
    if (state.pods.terminating(pods[row]!)) continue;
    if (at !== null && situation?.known === 'nodeLifecycle') first = Math.min(first, at.earliest);
    perhaps ||= mayHaveLeftSince !== null;
  }
  return {
    zones: zones.map(({ states, ...zone }) => ({
      ...zone,
      states: states.map(({ at, ...state }) => ({ at: timeText(at), ...state })),
    })),
    waiting: queued.length,
    evicts: first < Infinity ? 'yes' : perhaps ? 'perhaps' : 'no',
    firstEvictionAfterSeconds: first < Infinity ? (first - began) / 1000 : null,
  };
}

/** The changes of nodes that an answer rests on, those of the scenario first. */
export async function changesView(
  { state, stored, asOf }: ReadQuestion,
  changes: readonly NodeChange[],
  slices: TimeSlices,
): Promise<ScheduleView['changes']> {
  const items: ChangeView[] = [];
  const hypothetical = state === stored ? 0 : await scenarioChanges({ state, stored, asOf }, items, slices);
  const last = new Map<number, readonly string[]>();
  for (const { at, moment, node, taints, why } of changes) {
    if (items.length === MOST_LISTED) break;
    if (slices.due()) await slices.pause();
    const before = last.get(node) ?? taintTexts(state, node);
    const after = taints.map(formatTaint);
    last.set(node, after);
    const name = state.nodes.name(node);
    items.push({ at: timeText(at), moment: momentView(moment), node: name, ...differenceOf(before, after), why });
  }
  return { total: changes.length + hypothetical, items };
}

type ChangeView = ScheduleView['changes']['items'][number];

/** Lists what a scenario changes. @returns of how many nodes */
async function scenarioChanges(
  { state, stored, asOf }: Pick<ReadQuestion, 'state' | 'stored' | 'asOf'>,
  items: ChangeView[],
  slices: TimeSlices,
): Promise<number> {
  const at = timeText(asOf);
  const moment = momentView(exactly(asOf));
  let changed = 0;
  for (let node = 0; node < state.nodes.count; node++) {
    if (slices.due()) await slices.pause();
    const name = state.nodes.name(node);
    const was = stored.nodes.indexOf(name);
    const { added, removed } = differenceOf(was < 0 ? [] : taintTexts(stored, was), taintTexts(state, node));
    if (added.length + removed.length === 0) continue;
    changed++;
    if (items.length < MOST_LISTED) {
      items.push({ at, moment, node: name, added, removed, why: 'The scenario says so.' });
    }
  }
  return changed;
}

const differenceOf = (before: readonly string[], after: readonly string[]): Pick<ChangeView, 'added' | 'removed'> => ({
  added: after.filter((taint) => !before.includes(taint)),
  removed: before.filter((taint) => !after.includes(taint)),
});

const taintTexts = ({ nodes, taintSets }: ClusterState, node: number): readonly string[] =>
  taintSets[nodes.taintSetId(node)]!.map(formatTaint);
