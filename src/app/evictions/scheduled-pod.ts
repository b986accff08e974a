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
  taintsRemoved: 'No NoExecute taint is left on the node: its timer is cancelled.',
  toleratedForever: 'All NoExecute taints that are left are tolerated for ever: its timer is cancelled.',
  podRemoved: 'The pod is deleted before its timer fires.',
  controllerStopped: 'The controller is stopped, and forgets its timers.',
};

function becauseOf(outcome: PodOutcome, verdicts: readonly TaintVerdict[], marked: boolean): string {
  const { because, overdue, keptAgainst, unwatched } = outcome;
  if (marked) return 'Its deletion has been asked for already.';
  if (because.action === 'none') return 'No NoExecute taint is on its node.';
  const decisive = verdicts.find(({ decides }) => decides);
  if (because.action === 'never' && decisive === undefined) {
    return 'Every NoExecute taint of its node is tolerated for ever.';
  }
  const taint = decisive === undefined ? '' : formatTaint(decisive.taint);
  const late = overdue
    ? ' It was seen after that and was not marked: the controller had not run, or the taint had been away.'
    : '';
  const nobody = unwatched ? ' The controller is stopped, so nobody acts on it.' : '';
  if (because.untolerated !== undefined) return `Nothing tolerates ${taint}.${late}${nobody}`;
  const { toleration, seconds } = decisive ?? { toleration: null, seconds: null };
  const used = `${taint} is tolerated for ${String(seconds)} s by spec.tolerations[${String(toleration)}], the first that matches it.`;
  return `${used}${overflowText(because.delay, seconds)}${late}${keptText(keptAgainst)}${nobody}`;
}

/** What the controller makes of seconds of which the nanoseconds do not fit into 64 bits. */
function overflowText(delay: bigint, seconds: Int64 | null): string {
  if (seconds === null || seconds <= 0 || delay === BigInt(seconds) * 1_000_000_000n) return '';
  const taken = delay < 0n ? 'for ever' : `for ${Number(delay) / 1e9} s`;
  return ` As nanoseconds they do not fit into 64 bits: the controller takes them ${taken}.`;
}

function keptText(kept: PodOutcome['keptAgainst']): string {
  if (kept === null) return '';
  const seconds = 'delay' in kept.because ? delayMsOf(kept.because) / 1000 : 0;
  return ` What came at ${timeText(kept.moment.latest)} would give it ${seconds} s and changes nothing: a running timer is never changed, only cancelled.`;
}

function taintResponse(
  { taint, toleration, seconds, decides }: TaintVerdict,
  outcome: PodOutcome,
  { metadata, spec }: Node,
): ScheduledTaintResponse {
  // Taints are compared, and kept, without it.
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
    return 'It lies where the taint came, and the node controller wrote it: the time counts from it.';
  if (known === 'nodeLifecycle')
    return 'The node lifecycle controller would write it with its taint; the time counts from when it is seen.';
  const at = millisecondsOf(timeAdded);
  const ignored = 'The controller does not read it, and it does not count here';
  if (at === undefined) return `${ignored}: it is no time.`;
  if (createdAt !== undefined && at < createdAt) return `${ignored}: it lies before the creation of the node.`;
  if (base !== null && at > base.latest) return `${ignored}: it lies after the taint was seen.`;
  return `${ignored}: anybody can write it.`;
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
  const waits = stateful ? ' Until then its StatefulSet makes no pod in its place.' : '';
  if (by === 'podGarbageCollector') {
    return 'Its node does not answer and is out of service: the pod garbage collector deletes it by force, whatever its grace period.';
  }
  if (by === 'apiServer') return null;
  if (goneAt === null) {
    return (
      'Its node does not answer, so it stays Terminating until the node comes back, is deleted, or gets the taint ' +
      `node.kubernetes.io/out-of-service, or until somebody deletes the pod by force.${waits}`
    );
  }
  return `Its node does not answer until then, so it stays Terminating.${waits}`;
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
    notes.push(
      `The PodDisruptionBudget ${named} selects it and does not protect it: a taint eviction does not ask it.`,
    );
  }
  // From this one on people take pods for protected.
  if (state.pods.priority(index) >= SYSTEM_CRITICAL_PRIORITY) {
    notes.push(`Its priority ${state.pods.priority(index)} does not protect it.`);
  }
  if (isMirrorPod(pod)) {
    notes.push('A static pod: its object is deleted and the kubelet makes it again; the containers run on.');
  }
  if (hasEnded(pod)) {
    notes.push(`It has ended (${pod.status?.phase ?? ''}); its object is deleted all the same, at once.`);
  }
  return notes;
}
