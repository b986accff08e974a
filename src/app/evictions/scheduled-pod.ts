import type { podDeparture, scheduledPod } from '../../contract/evictions/eviction-schedule.js';
import type { Response } from '../../contract/schema.js';
import type { PodTable } from '../../core/cluster/pod-table.js';
import { budgetKey } from '../../core/disruption/budget-matches.js';
import { defined } from '../../core/collections/defined.js';
import { disruptionOf } from '../../core/disruption/disruption-kinds.js';
import { SYSTEM_CRITICAL_PRIORITY } from '../../core/kubernetes/critical-pod.js';
import { type Departure, departureOf, departureUnderway, type NodeReach } from '../../core/eviction/departure.js';
import type { PodOutcome } from '../../core/eviction-schedule/fold-pod.js';
import { actionOf, type PodAction } from '../../core/eviction-schedule/pod-action.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import { isMirrorPod } from '../../core/taint-effects/evictions.js';
import { isLeaving, type OutcomeResponse, outcomeResponse } from './outcome-response.js';
import type { PlannedSchedule } from './plan-schedule.js';
import { momentResponse } from './schedule-response.js';

export type ScheduledPodResponse = Response<typeof scheduledPod>;
type DepartureResponse = Response<typeof podDeparture>;

interface KnownOutcome {
  readonly node: number;
  readonly action: PodAction;
  readonly view: OutcomeResponse;
}

/** The pods of a schedule as they are answered. What follows from an outcome is worked out once for the pods of a node that have it. */
export class ScheduledPods {
  private readonly known = new Map<PodOutcome, KnownOutcome>();

  constructor(private readonly plan: PlannedSchedule) {}

  /** The pod in one row of the schedule. */
  of(row: number): ScheduledPodResponse {
    const { plan } = this;
    const { state, asOf } = plan.question;
    const { pods, nodes } = state;
    const index = plan.schedule.pods[row]!;
    const outcome = plan.schedule.outcomes[row]!;
    const node = pods.nodeIndex(index);
    const { kind, namespace, name } = pods.workload(index);
    const action = actionOf(outcome, pods.terminating(index), asOf);
    const leaves = isLeaving(action);
    const guards = leaves ? plan.budgets.guarding(index) : [];
    const { at, because, base, taints, devices, overdue, cancelled, mayHaveLeftSince, keptWithout, secondsToOutlast } =
      this.outcomeOn(outcome, node, action);
    const departure =
      action === 'marked' ? this.departureUnderway(index, node) : this.departureAt(outcome, at, index, node);
    return {
      namespace: pods.namespace(index),
      name: pods.name(index),
      node: nodes.name(node),
      workload: { kind, namespace, name },
      action,
      at: action === 'marked' ? (departure?.marked ?? null) : at,
      because,
      base,
      taints,
      devices,
      overdue,
      cancelled,
      mayHaveLeftSince,
      departure,
      keptWithout,
      secondsToOutlast,
      disruption: leaves
        ? outcome.devices?.isFirst === true
          ? { kind: 'deviceTaintEviction', reason: 'DeletionByDeviceTaintManager' }
          : { kind: 'taintEviction', reason: 'DeletionByTaintManager' }
        : disruptionUnderway(pods.pod(index)),
      budgets: guards.map((budget) => budgetKey(plan.budgets, budget)),
      notes: leaves ? notesOn(pods, index, guards.length > 0) : [],
    };
  }

  private outcomeOn(outcome: PodOutcome, node: number, action: PodAction): OutcomeResponse {
    const known = this.known.get(outcome);
    if (known?.node === node && known.action === action) return known.view;
    const view = outcomeResponse(this.plan, outcome, node, action);
    this.known.set(outcome, { node, action, view });
    return view;
  }

  private departureUnderway(index: number, node: number): DepartureResponse | null {
    const { pods } = this.plan.question.state;
    const pod = pods.pod(index);
    const reach = this.plan.reaches.at(node, this.plan.question.asOf);
    const departure = departureUnderway(pod, reach);
    return departure === undefined
      ? null
      : departureResponse(departure, momentResponse(departure.markedAt), departureNote(departure, pods, index, reach));
  }

  private departureAt(
    { at }: PodOutcome,
    shownAt: OutcomeResponse['at'],
    index: number,
    node: number,
  ): DepartureResponse | null {
    const { pods } = this.plan.question.state;
    if (at === null || shownAt === null) return null;
    const reach = this.plan.reaches.at(node, at.latest);
    const departure = departureOf(specAndStatus(pods, index), at, reach);
    return departureResponse(departure, shownAt, departureNote(departure, pods, index, reach));
  }
}

/** Without putting the pod together. */
const specAndStatus = (pods: PodTable, index: number): Pick<Pod, 'spec' | 'status'> => ({
  spec: pods.specOf(pods.specId(index)),
  ...defined({ status: pods.statusOf(pods.statusId(index)) }),
});

function departureResponse(
  { gracePeriodSeconds, goneAt, by }: Departure,
  marked: DepartureResponse['marked'],
  note: string | null,
): DepartureResponse {
  return { marked, gracePeriodSeconds, gone: goneAt === null ? null : momentResponse(goneAt), by, note };
}

function departureNote(
  { by, goneAt }: Departure,
  pods: PodTable,
  index: number,
  { reachable }: NodeReach,
): string | null {
  if (reachable && by !== 'podGarbageCollector') return null;
  const stateful = pods
    .ownerReferences(index)
    .some(({ kind, controller }) => kind === 'StatefulSet' && controller === true);
  const waits = stateful ? ' Until then its StatefulSet does not create a replacement.' : '';
  if (by === 'podGarbageCollector') {
    return 'Its node does not respond and is out of service: the pod garbage collector deletes the pod by force, whatever its grace period.';
  }
  if (by === 'apiServer') return null;
  if (goneAt === null) {
    return (
      'Its node does not respond, so it stays Terminating until the node recovers, is deleted, or gets the taint ' +
      `node.kubernetes.io/out-of-service, or until the pod is deleted by force.${waits}`
    );
  }
  return `Its node does not respond until then, so it stays Terminating.${waits}`;
}

function disruptionUnderway(pod: Pod): ScheduledPodResponse['disruption'] {
  const disruption = disruptionOf(pod);
  return disruption?.stands !== true ? null : { kind: disruption.kind ?? null, reason: disruption.reason };
}

function notesOn(pods: PodTable, index: number, isGuarded: boolean): readonly string[] {
  const notes: string[] = [];
  const priority = pods.priority(index);
  if (isGuarded) {
    notes.push('A PodDisruptionBudget selects it but does not protect it: taint evictions ignore budgets.');
  }
  // The priority from which people assume that pods are protected.
  if (priority >= SYSTEM_CRITICAL_PRIORITY) notes.push(`Its priority ${priority} does not protect it.`);
  if (isMirrorPod({ annotations: pods.annotations(index), ownerReferences: pods.ownerReferences(index) })) {
    notes.push('A static pod: the API object is deleted and the kubelet recreates it; the containers keep running.');
  }
  if (!pods.active(index)) {
    notes.push(`It has ended (${pods.phase(index)}); its object is deleted immediately.`);
  }
  return notes;
}
