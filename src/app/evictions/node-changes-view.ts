import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { exactly } from '../../core/eviction-schedule/known-moment.js';
import type { Schedule } from '../../core/eviction-schedule/step-schedule.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import type { OutageTimeline } from '../../core/node-lifecycle/outage.js';
import type { ReadQuestion } from './read-question.js';
import type { NodeChange } from './schedule-inputs.js';
import { momentView, type ScheduleView, timeText } from './schedule-view.js';

/** Changes that are told; all are counted. */
const MOST_LISTED = 1_000;

/** What failures of nodes come to. */
export function outageView(
  { outages }: ReadQuestion,
  { outcomes }: Schedule,
  { zones, queued }: OutageTimeline,
): NonNullable<ScheduleView['outage']> {
  const began = Math.min(...outages.map(({ fromAt }) => fromAt));
  let first = Infinity;
  let perhaps = false;
  for (const { at, known, mayHaveLeftSince } of outcomes) {
    if (at !== null && known === 'nodeLifecycle') first = Math.min(first, at.earliest);
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
export function changesView(
  { state, stored, asOf }: ReadQuestion,
  changes: readonly NodeChange[],
): ScheduleView['changes'] {
  const last = new Map<number, readonly string[]>();
  const items: ScheduleView['changes']['items'][number][] = [];
  for (const { at, moment, node, taints, why } of changes) {
    const before = last.get(node) ?? taintTexts(state, node);
    const after = taints.map(formatTaint);
    last.set(node, after);
    if (items.length === MOST_LISTED) continue;
    items.push({
      at: timeText(at),
      moment: momentView(moment),
      node: state.nodes.name(node),
      added: after.filter((taint) => !before.includes(taint)),
      removed: before.filter((taint) => !after.includes(taint)),
      why,
    });
  }
  const hypothetical = state === stored ? [] : scenarioChanges(state, stored, asOf);
  return {
    total: changes.length + hypothetical.length,
    items: [...hypothetical, ...items].slice(0, MOST_LISTED),
  };
}

function scenarioChanges(state: ClusterState, stored: ClusterState, asOf: number): ScheduleView['changes']['items'] {
  return Array.from({ length: state.nodes.count }, (_, node) => {
    const name = state.nodes.name(node);
    const was = stored.nodes.indexOf(name);
    const before = was < 0 ? [] : taintTexts(stored, was);
    const after = taintTexts(state, node);
    const added = after.filter((taint) => !before.includes(taint));
    const removed = before.filter((taint) => !after.includes(taint));
    return {
      at: timeText(asOf),
      moment: momentView(exactly(asOf)),
      node: name,
      added,
      removed,
      why: 'The scenario says so.',
    };
  }).filter(({ added, removed }) => added.length + removed.length > 0);
}

const taintTexts = ({ nodes, taintSets }: ClusterState, node: number): readonly string[] =>
  taintSets[nodes.taintSetId(node)]!.map(formatTaint);
