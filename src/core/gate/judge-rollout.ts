import type { UndecidedPlugin } from '../admission/undecided-plugins.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { ManifestObject } from '../kubernetes/manifests/manifest-object.js';
import type { FailedScheduling, ObjectOutcome, Rollout, WorkloadOutcome } from './provisional-rollout.js';

/** Whether manifests can be deployed and run: surely, surely not, or it is not known. */
export type GateVerdict = 'yes' | 'no' | 'unknown';

export type GateReasonCode =
  'ObjectRefused' | 'PodRefused' | 'Unschedulable' | 'NotCreated' | 'ObjectUnknown' | 'PodsUnknown' | 'NothingToRun';

/** What keeps the verdict from being `yes`. */
export interface GateReason {
  readonly code: GateReasonCode;
  readonly verdict: 'no' | 'unknown';
  /** Undefined if it is about no single object of the request. */
  readonly object: ManifestObject | undefined;
  /** In Kubernetes' words; of what is not known, what it is. */
  readonly message: string;
  /** The plugin, scheduler or controller that says so. */
  readonly by: string | undefined;
  /** Pods that wait, or are not created, for it. */
  readonly pods: number;
  /** Of `Unschedulable`. */
  readonly failed?: FailedScheduling;
  /** Kinds that were never loaded and that would tell. */
  readonly load: readonly KeptKind[];
}

export interface Judgement {
  readonly verdict: GateVerdict;
  /** One sentence without its full stop. */
  readonly summary: string;
  /** What to fix first comes first. */
  readonly reasons: readonly GateReason[];
  readonly load: readonly KeptKind[];
}

/**
 * What a rollout comes to. `yes` only if every object is accepted, and every wanted pod is created and has a node, surely; `no` if
 * something certain refuses an object or leaves a pod without a node.
 *
 * First come the reasons of `no`: refused objects in the order of the request, since what comes later may only fail for want of them;
 * then pods that are not created, then those without a node. What is not known comes after these.
 */
export function judgeRollout(objects: readonly ManifestObject[], rollout: Rollout): Judgement {
  const ofObjects = objects.flatMap((object, index) => reasonOfObject(object, rollout.objects[index]!));
  const own = rollout.workloads.filter(({ object }) => object !== undefined);
  const ofWorkloads = own.flatMap(reasonsOfWorkload);
  const lookedAt = rollout.objects.filter(({ outcome }) => outcome !== 'notLookedAt').length;
  const reasons = inOrder([...ofObjects, ...ofWorkloads, ...(lookedAt === 0 ? [NOTHING] : [])]);
  const verdict = reasons.some((reason) => reason.verdict === 'no') ? 'no' : reasons.length > 0 ? 'unknown' : 'yes';
  const load = [...new Set(reasons.flatMap((reason) => reason.load))].sort();
  return { verdict, summary: summaryOf(verdict, reasons, rollout, lookedAt), reasons, load };
}

const NOTHING: GateReason = {
  code: 'NothingToRun',
  verdict: 'unknown',
  object: undefined,
  message: 'none of the objects says anything about pods, quotas or nodes: none was looked at',
  by: undefined,
  pods: 0,
  load: [],
};

function reasonOfObject(object: ManifestObject, outcome: ObjectOutcome): readonly GateReason[] {
  switch (outcome.outcome) {
    case 'refused': {
      const { by, message, certain } = outcome;
      return [{ code: 'ObjectRefused', verdict: certain ? 'no' : 'unknown', object, message, by, pods: 0, load: [] }];
    }
    case 'unknown':
      return outcome.unknownBecause.map((because) => unknownReason('ObjectUnknown', object, because, 0));
    default:
      return [];
  }
}

function reasonsOfWorkload(workload: WorkloadOutcome): readonly GateReason[] {
  const { object, desired, created, failedCreate, failedScheduling, unknownBecause } = workload;
  const missing = Math.max(0, desired - created);
  const reasons: GateReason[] = [
    ...failedCreate.map(({ text, by, certain }): GateReason => ({
      code: 'PodRefused',
      verdict: certain ? 'no' : 'unknown',
      object,
      message: text,
      by,
      pods: missing,
      load: [],
    })),
    ...failedScheduling.map((failed): GateReason => ({
      code: 'Unschedulable',
      verdict: failed.placement.counts.unknown > 0 ? 'unknown' : 'no',
      object,
      message: failed.text,
      by: failed.pod.spec.schedulerName ?? 'default-scheduler',
      pods: failed.pods,
      failed,
      load: [],
    })),
    ...unknownBecause.map((because) => unknownReason('PodsUnknown', object, because, desired)),
  ];
  if (missing > 0 && failedCreate.length === 0 && unknownBecause.length === 0) {
    reasons.push({
      code: 'NotCreated',
      verdict: 'no',
      object,
      message: `the controller creates ${created} of ${desired} pods`,
      by: `${workload.kind} controller`,
      pods: missing,
      load: [],
    });
  }
  return reasons;
}

function unknownReason(
  code: GateReasonCode,
  object: ManifestObject | undefined,
  { plugin, missingKind, why }: UndecidedPlugin,
  pods: number,
): GateReason {
  return {
    code,
    verdict: 'unknown',
    object,
    message: why,
    by: plugin,
    pods,
    load: missingKind === null ? [] : [missingKind],
  };
}

const RANKS: readonly GateReasonCode[] = [
  'ObjectRefused',
  'PodRefused',
  'NotCreated',
  'Unschedulable',
  'ObjectUnknown',
  'PodsUnknown',
  'NothingToRun',
];

/** What is not known of many objects for the same cause is said once. */
function inOrder(reasons: readonly GateReason[]): readonly GateReason[] {
  const merged = new Map<string, GateReason>();
  for (const reason of reasons) {
    const isShared = reason.verdict === 'unknown' && reason.failed === undefined && reason.code !== 'ObjectRefused';
    const key = isShared ? `${reason.by ?? ''} ${reason.message}` : `${merged.size}`;
    const known = isShared ? merged.get(key) : undefined;
    if (known === undefined) merged.set(key, reason);
    else {
      const object = known.object === reason.object ? known.object : undefined;
      merged.set(key, { ...known, object, pods: known.pods + reason.pods });
    }
  }
  const rankOf = ({ verdict, code }: GateReason): number => (verdict === 'no' ? 0 : RANKS.length) + RANKS.indexOf(code);
  return [...merged.values()].sort((a, b) => rankOf(a) - rankOf(b));
}

function summaryOf(
  verdict: GateVerdict,
  reasons: readonly GateReason[],
  { objects, workloads }: Rollout,
  lookedAt: number,
): string {
  const own = workloads.filter(({ object }) => object !== undefined);
  const sum = (count: (workload: WorkloadOutcome) => number): number =>
    own.reduce((total, one) => total + count(one), 0);
  const desired = sum((one) => one.desired);
  const rest = objects.length - lookedAt;
  const aside = rest === 0 ? '' : `; ${counted(rest, 'object')} ${rest === 1 ? 'was' : 'were'} not looked at`;
  switch (verdict) {
    case 'yes':
      return `${lookedAt === 1 ? 'the object is' : `all ${lookedAt} objects are`} accepted${desired === 0 ? '' : `, and ${desired === 1 ? 'the pod has' : `all ${desired} pods have`} a node`}${aside}`;
    case 'no': {
      const refused = reasons.filter((one) => one.verdict === 'no' && one.code === 'ObjectRefused').length;
      const missing = sum((one) => Math.max(0, one.desired - one.created));
      const waiting = reasons.reduce(
        (total, one) => total + (one.verdict === 'no' && one.code === 'Unschedulable' ? one.pods : 0),
        0,
      );
      const parts = [
        ...(refused > 0 ? [`${counted(refused, 'object')} ${refused === 1 ? 'is' : 'are'} refused`] : []),
        ...(missing > 0
          ? [`${missing} of ${counted(desired, 'pod')} ${missing === 1 ? 'is' : 'are'} not created`]
          : []),
        ...(waiting > 0
          ? [`${waiting} of ${counted(desired, 'pod')} ${waiting === 1 ? 'finds' : 'find'} no node`]
          : []),
      ];
      return `${parts.join(', ')}${aside}`;
    }
    case 'unknown': {
      const [first] = reasons;
      const load = [...new Set(reasons.flatMap((reason) => reason.load))].sort();
      return load.length > 0 ? `load ${load.join(', ')} to know${aside}` : `${first?.message ?? ''}${aside}`;
    }
  }
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
