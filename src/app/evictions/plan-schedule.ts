import { stepBudgetMatches, type BudgetMatches } from '../../core/disruption/budget-matches.js';
import { stepDeviceEvictions } from '../../core/eviction-schedule/device-evictions.js';
import { stepOrderedRows, type RowFilter } from '../../core/eviction-schedule/ordered-rows.js';
import { type Schedule, stepSchedule } from '../../core/eviction-schedule/step-schedule.js';
import { runSteps } from '../states/run-steps.js';
import type { TimeSlices } from '../states/time-slices.js';
import { type FollowedOutages, followOutages } from './follow-outages.js';
import { Reaches } from './reaches.js';
import type { ReadQuestion } from './read-question.js';
import { type NodeChange, stepScheduleQuestion } from './schedule-inputs.js';
import type { ScheduleReading } from './schedule-reader.js';
import type { ListedPodsFilter } from './schedule-request.js';

/** The evictions with their times, and the data that they follow from. */
export interface PlannedSchedule extends ScheduleReading {
  readonly schedule: Schedule;
  /** The requested rows of the schedule, in order. */
  readonly rows: Int32Array;
  /** Changes of nodes, in order. */
  readonly changes: readonly NodeChange[];
  /** Undefined if the request has no outages. */
  readonly outage: FollowedOutages | undefined;
  readonly reaches: Reaches;
  readonly budgets: BudgetMatches;
}

/** Computes the schedule. @throws {ServiceError} `budget-exceeded`, `cancelled` */
export async function planSchedule(reading: ScheduleReading, slices: TimeSlices): Promise<PlannedSchedule> {
  const { request, question, past } = reading;
  const { state, asOf } = question;
  const outage = await followOutages(question, slices);
  const devices = await runSteps(stepDeviceEvictions(state, asOf), slices);
  const inputs = { ...question, past, failures: outage?.changes ?? [], devices };
  const asked = await runSteps(stepScheduleQuestion(inputs), slices);
  const schedule = await runSteps(stepSchedule(asked.question), slices);
  const rows = await runSteps(stepOrderedRows(state, schedule, asOf, rowFilter(question, request.pods)), slices);
  const budgets = await runSteps(stepBudgetMatches(state), slices);
  const { changes } = asked;
  return { ...reading, schedule, rows, changes, outage, budgets, reaches: new Reaches(question, changes) };
}

function rowFilter(
  { state: { pods }, podLabels: labels }: ReadQuestion,
  { namespace, workload, workloadKind, actions }: ListedPodsFilter,
): RowFilter {
  const any = namespace !== undefined || labels !== undefined || workload !== undefined || workloadKind !== undefined;
  return {
    ...(actions !== undefined && { actions: new Set(actions) }),
    ...(any && {
      fits: (pod: number): boolean => {
        if (namespace !== undefined && pods.namespace(pod) !== namespace) return false;
        if (labels?.matches(pods.labels(pod)) === false) return false;
        if (workload === undefined && workloadKind === undefined) return true;
        const owner = pods.workload(pod);
        return (workload ?? owner.name) === owner.name && (workloadKind ?? owner.kind) === owner.kind;
      },
    }),
  };
}
