import type { scheduledPodGroup } from '../../contract/evictions/eviction-schedule.js';
import type { Response } from '../../contract/schema.js';
import { AlikePods } from '../../core/collections/alike-pods.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { stepBudgetBreaches } from '../../core/eviction-schedule/budget-breaches.js';
import { missingForEvictions } from '../../core/eviction-schedule/device-evictions.js';
import { type ScheduleSummary, stepScheduleSummary } from '../../core/eviction-schedule/schedule-summary.js';
import type { Rescheduling } from '../../core/rescheduling/rescheduling.js';
import { groupedPages } from '../paging/grouped-pages.js';
import { stepPodGroupResponse } from '../paging/pod-group-response.js';
import { mapInSlices } from '../states/map-in-slices.js';
import { runSteps } from '../states/run-steps.js';
import type { TimeSlices } from '../states/time-slices.js';
import { landingsResponse } from './landing-response.js';
import { changesResponse, stepOutageResponse } from './node-changes-response.js';
import type { PlannedSchedule } from './plan-schedule.js';
import type { ReadQuestion } from './read-question.js';
import { stepScheduleIdentity } from './schedule-request.js';
import { SCHEDULED_ALIKE } from './schedule-groups.js';
import { momentResponse, type ScheduleResponse, timeText } from './schedule-response.js';
import { ScheduledPods } from './scheduled-pod.js';

/** Maximum items in each list of a response; all are counted. */
const MAX_LISTED = 1_000;
const MAX_MINUTES = 10_000;

/** Renders a schedule: summaries of all of it, and one page of its pods. */
export async function presentSchedule(
  plan: PlannedSchedule,
  landing: Rescheduling | null,
  slices: TimeSlices,
): Promise<ScheduleResponse> {
  const { basis, question, schedule, changes, outage, budgets } = plan;
  const { state, asOf, horizon, controllerStart } = question;
  const summary = await runSteps(
    stepScheduleSummary(state, schedule, { asOf, mostListed: MAX_LISTED, mostMinutes: MAX_MINUTES }),
    slices,
  );
  const breaches = await runSteps(stepBudgetBreaches(state, schedule, budgets, asOf), slices);
  return {
    basis,
    asOf: timeText(asOf),
    horizon: timeText(horizon),
    ...(await summaryResponse(state, summary, slices)),
    budgets: await listed(
      { total: breaches.length, items: breaches.slice(0, MAX_LISTED) },
      slices,
      ({ brokenAt, ...breach }) => ({ ...breach, brokenAt: brokenAt === null ? null : momentResponse(brokenAt) }),
    ),
    changes: await changesResponse(question, changes, slices),
    outage: outage === undefined ? null : await runSteps(stepOutageResponse(question, schedule, outage), slices),
    controllerStart:
      controllerStart === undefined ? null : { at: timeText(controllerStart.at), known: controllerStart.known },
    assumptions: assumptionsOf(question),
    notLoaded: missingForEvictions(state),
    landing: landing === null ? null : await landingsResponse(state, landing, slices),
    pages: await pagesOf(plan, slices),
  };
}

async function pagesOf(plan: PlannedSchedule, slices: TimeSlices): Promise<ScheduleResponse['pages']> {
  const { request, basis, question, rows } = plan;
  const alike = new AlikePods(SCHEDULED_ALIKE);
  const pods = new ScheduledPods(plan);
  // The next page has to use the asOf of this response, whether or not it was in the request.
  const list = await runSteps(stepScheduleIdentity(request, new Date(question.asOf)), slices);
  return groupedPages({
    list,
    view: 'pods',
    revision: basis.revision,
    items: [...rows],
    renderItem: (row) => pods.of(row),
    groups: async () => {
      for (const row of rows) {
        if (slices.due()) await slices.pause();
        alike.add(pods.of(row));
      }
      return runSteps(alike.stepGroups(), slices);
    },
    renderGroup: (group) => stepPodGroupResponse<Response<typeof scheduledPodGroup>>(alike, group),
    slices,
  });
}

async function summaryResponse(
  { nodes }: ClusterState,
  summary: ScheduleSummary,
  slices: TimeSlices,
): Promise<Pick<ScheduleResponse, 'counts' | 'moments' | 'minutes' | 'nodes' | 'workloads'>> {
  return {
    counts: summary.counts,
    moments: await listed(summary.moments, slices, ({ at, pods }) => ({ at: momentResponse(at), pods })),
    minutes: await listed(summary.minutes, slices, ({ minute, pods }) => ({ minute: timeText(minute), pods })),
    nodes: await listed(summary.nodes, slices, ({ node, first, last, ...counts }) => ({
      node: nodes.name(node),
      ...counts,
      first: momentResponse(first!),
      last: momentResponse(last!),
    })),
    workloads: await listed(summary.workloads, slices, ({ firstLoss, lastReplica, ...counts }) => ({
      ...counts,
      firstLoss: momentResponse(firstLoss),
      lastReplica: lastReplica === null ? null : momentResponse(lastReplica),
    })),
  };
}

function assumptionsOf({ state, outages, controllerStart, warnings }: ReadQuestion): readonly string[] {
  return [
    'The taint eviction controller is running and handles each change at the time of the change; in reality some milliseconds later.',
    ...(controllerStart === undefined
      ? [
          'The last start of the controller manager is unknown: its lease (kube-system/kube-controller-manager) is not stored. Timers restart with the controller manager.',
        ]
      : []),
    ...(outages.length === 0
      ? ['The node lifecycle controller adds and removes no taints: set outages to simulate failing nodes.']
      : [
          'The passes of the node lifecycle controller start at asOf; in reality the phase of its period is unknown. The order in which it processes the nodes of a zone is random.',
          'Nodes without an outage keep responding.',
          'Failures are simulated up to the horizon: those that begin or end after it are ignored.',
        ]),
    ...(state.loadedKinds.has('PodDisruptionBudget') ? [] : ['No snapshot has contained PodDisruptionBudgets.']),
    ...(state.loadedKinds.has('Pod') ? [] : ['No snapshot has contained Pods.']),
    ...warnings,
  ];
}

async function listed<Item, Shown>(
  { total, items }: { readonly total: number; readonly items: readonly Item[] },
  slices: TimeSlices,
  show: (item: Item) => Shown,
): Promise<{ readonly total: number; readonly items: readonly Shown[] }> {
  return { total, items: await mapInSlices(items, slices, show) };
}
