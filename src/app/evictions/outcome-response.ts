import type { scheduledDeviceTaint, scheduledPod, scheduledTaint } from '../../contract/evictions/eviction-schedule.js';
import type { Response } from '../../contract/schema.js';
import { claimText } from '../../core/devices/device-allocator.js';
import { deviceIdText } from '../../core/devices/device-id.js';
import { toleratesDeviceTaint } from '../../core/devices/device-taints.js';
import type { DeviceReason } from '../../core/eviction-schedule/device-evictions.js';
import type { CancelReason, PodOutcome } from '../../core/eviction-schedule/fold-pod.js';
import type { PodAction } from '../../core/eviction-schedule/pod-action.js';
import { cancellingTaints, type TaintVerdict, taintVerdicts } from '../../core/eviction/taint-verdicts.js';
import { delayMsOf } from '../../core/eviction/timer-decision.js';
import { millisecondsOf } from '../../core/kubernetes/moment.js';
import type { Int64, Timestamp } from '../../core/kubernetes/objects/meta.js';
import type { Node } from '../../core/kubernetes/objects/node.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import type { PlannedSchedule } from './plan-schedule.js';
import { knownText, momentResponse, timeText } from './schedule-response.js';

type ScheduledTaintResponse = Response<typeof scheduledTaint>;
type ScheduledDeviceTaintResponse = Response<typeof scheduledDeviceTaint>;

/** What pods with one outcome on one node have in common. */
export type OutcomeResponse = Pick<
  Response<typeof scheduledPod>,
  | 'at'
  | 'because'
  | 'base'
  | 'taints'
  | 'devices'
  | 'overdue'
  | 'cancelled'
  | 'mayHaveLeftSince'
  | 'keptWithout'
  | 'secondsToOutlast'
>;

/** An outcome as it is answered. @param action what is to be said of the pods: of those that are being deleted, something else */
export function outcomeResponse(
  plan: PlannedSchedule,
  outcome: PodOutcome,
  node: number,
  action: PodAction,
): OutcomeResponse {
  const { base, known, situation, tolerations, cancelled, mayHaveLeftSince, devices } = outcome;
  const byDevices = devices?.isFirst === true ? devices : undefined;
  const noExecute = situation?.taints ?? [];
  const verdicts = taintVerdicts(tolerations, noExecute, plan.question.gates);
  const leaves = isLeaving(action);
  const ofNode = leaves ? cancellingTaints(tolerations, noExecute, plan.question.gates) : null;
  const kept = ofNode && keptWithout(ofNode, outcome);
  const stored = plan.question.state.nodes.node(node);
  return {
    at: outcome.at === null ? null : momentResponse(outcome.at),
    because:
      byDevices === undefined || action === 'marked'
        ? becauseOf(outcome, verdicts, action === 'marked')
        : becauseOfDevice(byDevices, outcome.overdue),
    base: base === null || known === null ? null : { ...momentResponse(base), known, text: `${knownText(known)}.` },
    taints: verdicts
      .map((verdict) => taintResponse(verdict, outcome, stored))
      .map((taint) => (byDevices === undefined ? taint : { ...taint, decides: false })),
    devices: (devices?.reasons ?? []).map((reason) => deviceTaintResponse(reason, reason === byDevices?.decides)),
    overdue: outcome.overdue && leaves,
    cancelled: cancelled === null ? null : { at: momentResponse(cancelled.moment), why: CANCELLED[cancelled.why] },
    mayHaveLeftSince: mayHaveLeftSince === null ? null : timeText(mayHaveLeftSince),
    keptWithout: kept,
    secondsToOutlast: leaves && byDevices === undefined ? secondsToOutlast(plan, node, outcome) : null,
  };
}

/** The taints of the node, and those of devices, which each evict the pod. */
function keptWithout(
  ofNode: ReturnType<typeof cancellingTaints>,
  { devices, because }: PodOutcome,
): NonNullable<OutcomeResponse['keptWithout']> {
  const [anyOf, allOf] = [ofNode.anyOf.map(formatTaint), ofNode.allOf.map(formatTaint)];
  const ofDevices = [...new Set((devices?.reasons ?? []).map(({ taint }) => formatTaint(taint.taint)))];
  if (ofDevices.length === 0) return { anyOf, allOf };
  const isKeptByNode = because.action === 'none' || because.action === 'never';
  const all = isKeptByNode ? ofDevices : [...ofDevices, ...(anyOf.length > 0 ? anyOf.slice(0, 1) : allOf)];
  return all.length === 1 ? { anyOf: all, allOf: [] } : { anyOf: [], allOf: all };
}

function becauseOfDevice({ decides }: NonNullable<PodOutcome['devices']>, isOverdue: boolean): string {
  const { taint, device, reason } = decides.taint;
  const seconds = toleratedSeconds(decides);
  const rule = 'rule' in reason ? ` of DeviceTaintRule ${reason.rule}` : '';
  const what = `${formatTaint(taint)}${rule} on the device ${deviceIdText(device)}`;
  const late = isOverdue
    ? ' The pod was observed after that: the controller was not running, or does not know the taint.'
    : '';
  return seconds === null
    ? `The allocation has no toleration for ${what}.${late}`
    : `The allocation tolerates ${what} for ${String(seconds)} s.${late}`;
}

/** Null if no toleration matches. Tolerations match only with their effect. */
function toleratedSeconds({ taint: { device, taint } }: DeviceReason): Int64 | null {
  const matching = (device.tolerations ?? []).filter(
    (toleration) => toleration.effect === 'NoExecute' && toleratesDeviceTaint(toleration, taint),
  );
  return matching.reduce<Int64 | null>((least, { tolerationSeconds: seconds = 0 }) => {
    return least === null || seconds < least ? seconds : least;
  }, null);
}

function deviceTaintResponse(one: DeviceReason, decides: boolean): ScheduledDeviceTaintResponse {
  const { taint, reason, claim, device } = one.taint;
  return {
    taint: formatTaint(taint),
    rule: 'rule' in reason ? reason.rule : null,
    claim: claimText(claim),
    request: device.request,
    device: deviceIdText(device),
    seconds: toleratedSeconds(one),
    timeAdded: taint.timeAdded ?? null,
    decides,
  };
}

export const isLeaving = (action: PodAction): boolean => action === 'now' || action === 'at';

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
  const seconds = decisive?.seconds ?? null;
  const used = `${taint} is tolerated for ${String(seconds)} s by the first toleration that matches it.`;
  return `${used}${overflowText(because.delay, seconds)}${late}${keptText(keptAgainst)}${nobody}`;
}

/** What the controller makes of seconds of which the nanoseconds do not fit into 64 bits. */
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

function secondsToOutlast({ reaches }: PlannedSchedule, node: number, { base, because }: PodOutcome): number | null {
  if (base === null || (because.action === 'now' && because.untolerated !== undefined)) return null;
  const goAt = reaches.taintsGoAt(node, base.latest);
  return goAt === undefined ? null : Math.floor((goAt - base.earliest) / 1000) + 1;
}
