import { comparePodNames } from '../cluster/compare-pod-names.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { PodOutcome } from './fold-pod.js';
import { actionOf, POD_ACTIONS, type PodAction } from './pod-action.js';
import type { Schedule } from './step-schedule.js';

/** Which rows to return: those with one of the actions and with pods (by index) that `fits` accepts. */
export interface RowFilter {
  readonly actions?: ReadonlySet<PodAction>;
  readonly fits?: (pod: number) => boolean;
}

/** Rows processed between two yields. */
const STRIDE = 1024;

interface Group {
  readonly rank: number;
  readonly at: number;
  readonly earliest: number;
  /** Indexes of rows, in the order of nodes. */
  readonly rows: number[];
}

/**
 * The rows of a schedule in the order in which they are listed: by action, then by the time at which the pod leaves, then by
 * node, namespace and name. Only rows of one group on one node are sorted by name. A generator, so that the caller can let
 * other work run in between; it yields nothing.
 *
 * @returns indexes of rows
 */
export function* stepOrderedRows(
  { pods }: ClusterState,
  schedule: Schedule,
  asOf: number,
  { actions, fits }: RowFilter,
): Generator<undefined, Int32Array> {
  const groups = new Map<string, Group>();
  const groupsOf = new Map<PodOutcome, Partial<Record<PodAction, Group>>>();
  let wanted = 0;
  for (let row = 0; row < schedule.pods.length; row++) {
    if (row % STRIDE === STRIDE - 1) yield undefined;
    const pod = schedule.pods[row]!;
    const outcome = schedule.outcomes[row]!;
    const action = actionOf(outcome, pods.terminating(pod), asOf);
    if (actions?.has(action) === false || fits?.(pod) === false) continue;
    let ofOutcome = groupsOf.get(outcome);
    if (ofOutcome === undefined) groupsOf.set(outcome, (ofOutcome = {}));
    (ofOutcome[action] ??= groupOf(groups, outcome, action)).rows.push(row);
    wanted++;
  }
  const sorted = [...groups.values()].sort((a, b) => a.rank - b.rank || a.at - b.at || a.earliest - b.earliest);
  const ordered = new Int32Array(wanted);
  let filled = 0;
  for (const { rows } of sorted) {
    ordered.set(yield* stepRowsByName(pods, schedule, rows), filled);
    filled += rows.length;
  }
  return ordered;
}

/**
 * Rows in the order of nodes, those of one node by namespace and name: nodes have their pods in an order that depends on how the state was
 * loaded.
 */
export function* stepRowsByName(
  pods: ClusterState['pods'],
  schedule: Pick<Schedule, 'pods'>,
  rows: readonly number[],
): Generator<undefined, Int32Array> {
  const ordered = new Int32Array(rows.length);
  for (let start = 0; start < rows.length;) {
    yield undefined;
    const node = pods.nodeIndex(schedule.pods[rows[start]!]!);
    let end = start + 1;
    while (end < rows.length && pods.nodeIndex(schedule.pods[rows[end]!]!) === node) end++;
    const ofNode = rows.slice(start, end).sort((a, b) => comparePodNames(pods, schedule.pods[a]!, schedule.pods[b]!));
    ordered.set(ofNode, start);
    start = end;
  }
  return ordered;
}

function groupOf(groups: Map<string, Group>, { at }: PodOutcome, action: PodAction): Group {
  const rank = POD_ACTIONS.indexOf(action);
  const timed = action === 'now' || action === 'at' ? at : null;
  const key = `${rank} ${timed?.latest ?? 0} ${timed?.earliest ?? 0}`;
  let group = groups.get(key);
  if (group === undefined) {
    groups.set(key, (group = { rank, at: timed?.latest ?? 0, earliest: timed?.earliest ?? 0, rows: [] }));
  }
  return group;
}
