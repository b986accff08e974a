import type {
  podDeparture,
  scheduledPod as podOfSchedule,
  scheduledTaint,
} from '../../contract/evictions/eviction-schedule.js';
import type { Response } from '../../contract/schema.js';
import { millisecondsOf } from '../../core/kubernetes/moment.js';
import { disruptionOf } from '../../core/disruption/disruption-kinds.js';
import { SYSTEM_CRITICAL_PRIORITY } from '../../core/kubernetes/critical-pod.js';
import { type Departure, departureOf, departureUnderway, type NodeReach } from '../../core/eviction/departure.js';
import type { CancelReason, PodOutcome } from '../../core/eviction-schedule/fold-pod.js';
import { delayMsOf } from '../../core/eviction/timer-decision.js';
import { actionOf } from '../../core/eviction-schedule/pod-action.js';
import { cancellingTaints, type TaintVerdict, taintVerdicts } from '../../core/eviction/taint-verdicts.js';
import { hasEnded } from '../../core/kubernetes/has-ended.js';
import type { Int64, Timestamp } from '../../core/kubernetes/objects/meta.js';
import type { Node } from '../../core/kubernetes/objects/node.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import { isMirrorPod } from '../../core/taint-effects/evictions.js';
import { DEFAULT_GATES } from '../../core/kubernetes/toleration.js';
import type { PlannedSchedule } from './plan-schedule.js';
import { knownText, momentResponse, timeText } from './schedule-response.js';

export type ScheduledPodResponse = Response<typeof podOfSchedule>;
type ScheduledTaintResponse = Response<typeof scheduledTaint>;
type DepartureResponse = Response<typeof podDeparture>;

/** The pod in one row of a schedule. */
export function scheduledPod(plan: PlannedSchedule, row: number): ScheduledPodResponse {
  const { state, asOf } = plan.question;
  const index = plan.schedule.pods[row]!;
  const outcome = plan.schedule.outcomes[row]!;
  const { pods, nodes } = state;
  const pod = pods.pod(index);
  const node = pods.nodeIndex(index);
  const action = actionOf(outcome, pods.terminating(index), asOf);
  const { kind, namespace, name } = pods.workload(index);
  const { base, known, situation, tolerations } = outcome;
  const verdicts = situation === null ? [] : taintVerdicts(tolerations, situation.taints, DEFAULT_GATES);
  const departure = departureIn(plan, pod, node, outcome, action === 'marked');
  const leaves = action === 'now' || action === 'at';
  const kept = leaves ? cancellingTaints(tolerations, situation?.taints ?? [], DEFAULT_GATES) : null;
  return {
    namespace: pods.namespace(index),
    name: pods.name(index),
    node: nodes.name(node),
    workload: { kind, namespace, name },
    action,
    at: action === 'marked' ? (departure?.marked ?? null) : outcome.at === null ? null : momentResponse(outcome.at),
    because: becauseOf(outcome, verdicts, action === 'marked'),
    base: base === null || known === null ? null : { ...momentResponse(base), known, text: `${knownText(known)}.` },
    taints: verdicts.map((verdict) => taintResponse(verdict, outcome, nodes.node(node))),
    overdue: outcome.overdue && leaves,
    cancelled:
      outcome.cancelled === null
        ? null
        : { at: momentResponse(outcome.cancelled.moment), why: CANCELLED[outcome.cancelled.why] },
    mayHaveLeftSince: outcome.mayHaveLeftSince === null ? null : timeText(outcome.mayHaveLeftSince),
    departure,
    keptWithout: kept === null ? null : { anyOf: kept.anyOf.map(formatTaint), allOf: kept.allOf.map(formatTaint) },
    secondsToOutlast: leaves ? secondsToOutlast(plan, node, outcome) : null,
    disruption: leaves ? { kind: 'taintEviction', reason: 'DeletionByTaintManager' } : disruptionUnderway(pod),
    notes: leaves ? notesOn(plan, index, pod) : [],
  };
}

const CANCELLED: Readonly<Record<CancelReason, string>> = {
  taintsRemoved: 'The node has no NoExecute taint left, so the timer is cancelled.',
  toleratedForever: 'All remaining NoExecute taints are tolerated forever, so the timer is cancelled.',
  podRemoved: 'The pod is deleted before its timer fires.',
  controllerStopped: 'The controller is stopped and loses its timers.',
};

function becauseOf(outcome: PodOutcome, verdicts: readonly TaintVerdict[], marked: boolean): string {
  const { because, overdue, keptAgainst, unwatched } = outcome;
  if (marked) return 'The pod is already being deleted.';
  if (because.action === 'none') return 'Its node has no NoExecute taint.';
  const decisive = verdicts.find(({ decides }) => decides);
  if (because.action === 'never' && decisive === undefined) {
    return 'Every NoExecute taint of its node is tolerated forever.';
  }
  const taint = decisive === undefined ? '' : formatTaint(decisive.taint);
  const late = overdue
    ? ' It was later observed without a deletion mark: the controller was not running, or the taint had been removed.'
    : '';
  const nobody = unwatched ? ' The controller is stopped, so the pod is not evicted.' : '';
  if (because.untolerated !== undefined) return `No toleration matches ${taint}.${late}${nobody}`;
  const { toleration, seconds } = decisive ?? { toleration: null, seconds: null };
  const used = `${taint} is tolerated for ${String(seconds)} s by spec.tolerations[${String(toleration)}], the first that matches it.`;
  return `${used}${overflowText(because.delay, seconds)}${late}${keptText(keptAgainst)}${nobody}`;
}

/** Explains seconds whose nanoseconds overflow 64 bits. */
function overflowText(delay: bigint, seconds: Int64 | null): string {
  if (seconds === null || seconds <= 0 || delay === BigInt(seconds) * 1_000_000_000n) return '';
  const taken = delay < 0n ? 'forever' : `for ${Number(delay) / 1e9} s`;
  return ` In nanoseconds this overflows 64 bits, so the controller tolerates the taint ${taken}.`;
}

function keptText(kept: PodOutcome['keptAgainst']): string {
  if (kept === null) return '';
  const seconds = 'delay' in kept.because ? delayMsOf(kept.because) / 1000 : 0;
  return ` The change at ${timeText(kept.moment.latest)} would allow ${seconds} s, but has no effect: a running timer is never changed, only cancelled.`;
}

function taintResponse(
  { taint, toleration, seconds, decides }: TaintVerdict,
  outcome: PodOutcome,
  { metadata, spec }: Node,
): ScheduledTaintResponse {
  // Taints are compared and stored without it.
  const text = formatTaint(taint);
  const timeAdded = taint.timeAdded ?? spec?.taints?.find((stored) => formatTaint(stored) === text)?.timeAdded;
  return {
    taint: text,
    toleration: toleration === null ? null : `spec.tolerations[${toleration}]`,
    seconds,
    decides,
    timeAdded: timeAdded ?? null,
    timeAddedNote:
      timeAdded === undefined ? null : timeAddedNote(timeAdded, outcome, millisecondsOf(metadata.creationTimestamp)),
  };
}

function timeAddedNote(timeAdded: Timestamp, { known, base }: PodOutcome, createdAt: number | undefined): string {
  if (known === 'timeAdded')
    return 'The node controller wrote this time when it added the taint, so the timer counts from it.';
  if (known === 'nodeLifecycle')
    return 'The node lifecycle controller would write this time with its taint; the timer counts from when the taint is observed.';
  const at = millisecondsOf(timeAdded);
  const ignored = 'The eviction controller ignores this time, and so does the schedule';
  if (at === undefined) return `${ignored}: it is not a valid time.`;
  if (createdAt !== undefined && at < createdAt) return `${ignored}: it is before the creation of the node.`;
  if (base !== null && at > base.latest) return `${ignored}: it is after the taint was first observed.`;
  return `${ignored}: any client can write it.`;
}

function departureIn(
  { reaches, question: { asOf } }: PlannedSchedule,
  pod: Pod,
  node: number,
  { at }: PodOutcome,
  underway: boolean,
): DepartureResponse | null {
  const reach = reaches.at(node, underway ? asOf : (at?.latest ?? asOf));
  const departure = underway ? departureUnderway(pod, reach) : at === null ? undefined : departureOf(pod, at, reach);
  if (departure === undefined) return null;
  return {
    marked: momentResponse(departure.markedAt),
    gracePeriodSeconds: departure.gracePeriodSeconds,
    gone: departure.goneAt === null ? null : momentResponse(departure.goneAt),
    by: departure.by,
    note: departureNote(departure, pod, reach),
  };
}

function departureNote({ by, goneAt }: Departure, pod: Pod, { reachable }: NodeReach): string | null {
  if (reachable && by !== 'podGarbageCollector') return null;
  const stateful = (pod.metadata.ownerReferences ?? []).some(
    ({ kind, controller }) => kind === 'StatefulSet' && controller === true,
  );
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

function secondsToOutlast({ reaches }: PlannedSchedule, node: number, { base, because }: PodOutcome): number | null {
  if (base === null || (because.action === 'now' && because.untolerated !== undefined)) return null;
  const goAt = reaches.taintsGoAt(node, base.latest);
  return goAt === undefined ? null : Math.floor((goAt - base.earliest) / 1000) + 1;
}

function disruptionUnderway(pod: Pod): ScheduledPodResponse['disruption'] {
  const disruption = disruptionOf(pod);
  return disruption?.stands !== true ? null : { kind: disruption.kind ?? 'unknown', reason: disruption.reason };
}

function notesOn({ question: { state }, budgets }: PlannedSchedule, index: number, pod: Pod): readonly string[] {
  const notes: string[] = [];
  const guards = budgets.guarding(index).map((budget) => budgets.budgets[budget]!.metadata.name);
  if (guards.length > 0) {
    const named = guards.map((name) => JSON.stringify(name)).join(', ');
    notes.push(`The PodDisruptionBudget ${named} selects it but does not protect it: taint evictions ignore budgets.`);
  }
  // The priority from which people assume that pods are protected.
  if (state.pods.priority(index) >= SYSTEM_CRITICAL_PRIORITY) {
    notes.push(`Its priority ${state.pods.priority(index)} does not protect it.`);
  }
  if (isMirrorPod(pod)) {
    notes.push('A static pod: the API object is deleted and the kubelet recreates it; the containers keep running.');
  }
  if (hasEnded(pod)) {
    notes.push(`It has ended (${pod.status?.phase ?? ''}); its object is deleted immediately.`);
  }
  return notes;
}
