import { counted } from '../collections/counted.js';
import { isOfCluster, type UndecidedPlugin } from '../admission/undecided-plugins.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { ManifestObject } from '../kubernetes/manifests/manifest-object.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { Placement } from '../placement/placement.js';
import type {
  FailedCreate,
  FailedScheduling,
  ObjectOutcome,
  Rollout,
  RolloutUnknown,
  WorkloadOutcome,
} from '../rollout/rollout.js';
import { wantedOfTemplate } from './wanted-of-template.js';

/** Whether manifests can be deployed and run: surely, surely not, or it is not known. */
export type GateVerdict = 'yes' | 'no' | 'unknown';

export type GateReasonCode =
  'ObjectRefused' | 'PodRefused' | 'NotCreated' | 'Unschedulable' | 'ObjectUnknown' | 'PodsUnknown' | 'NothingToRun';

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
  /** Kinds that were never loaded and that would tell. */
  readonly load: readonly KeptKind[];
  /** Of `Unschedulable`: one of the pods, and where it was tried. */
  readonly waiting?: { readonly pod: Pod; readonly placement: Placement };
  /** Of `PodRefused`: the pod as it was sent. */
  readonly refused?: Pick<FailedCreate, 'pod'>;
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
 * What a rollout comes to. `yes` only if every object is accepted, and every pod that is wanted of the new templates is created and has
 * a node, surely; `no` if something certain refuses an object or leaves a pod without a node.
 *
 * First come the reasons of `no`: refused objects in the order of the request, since what comes later may only fail for want of them;
 * then pods that are not created, then those without a node. What is not known comes after these.
 *
 * @param doubts what may refuse each object and is not known, besides what the rollout says
 */
export function judgeRollout(
  objects: readonly ManifestObject[],
  rollout: Rollout,
  doubts: readonly (readonly Doubt[])[] = [],
): Judgement {
  const own = rollout.workloads.flatMap((workload) => {
    const object = workload.object === undefined ? undefined : objects[workload.object];
    return object === undefined ? [] : [{ workload, object, outcome: rollout.objects[workload.object!]! }];
  });
  const lookedAt = rollout.objects.filter(({ outcome }) => outcome !== 'notLookedAt').length;
  const reasons = inOrder([
    ...objects.flatMap((object, index) => reasonsOfObject(object, rollout.objects[index]!, doubts[index] ?? [])),
    // Of an object that is refused, there is nothing to say about pods.
    ...own.flatMap(({ workload, object, outcome }) =>
      outcome.outcome === 'refused' && outcome.certain ? [] : reasonsOfWorkload(workload, object),
    ),
    ...(lookedAt === 0 ? [NOTHING] : []),
  ]);
  const verdict = reasons.some((reason) => reason.verdict === 'no') ? 'no' : reasons.length > 0 ? 'unknown' : 'yes';
  const load = [...new Set(reasons.flatMap((reason) => reason.load))].sort();
  const counts = { lookedAt, aside: objects.length - lookedAt, workloads: own.map(({ workload }) => workload) };
  return { verdict, summary: summaryOf(verdict, reasons, load, counts), reasons, load };
}

/** Something that may refuse an object and was not asked. */
export type Doubt = Pick<UndecidedPlugin, 'missingKind' | 'why'> & { readonly plugin: string };

const NOTHING: GateReason = {
  code: 'NothingToRun',
  verdict: 'unknown',
  object: undefined,
  message: 'none of the objects was looked at: none says anything about pods',
  by: undefined,
  pods: 0,
  load: [],
};

function reasonsOfObject(
  object: ManifestObject,
  outcome: ObjectOutcome,
  doubts: readonly Doubt[],
): readonly GateReason[] {
  if (outcome.outcome === 'notLookedAt') return [];
  if (outcome.outcome === 'refused' && outcome.certain) {
    const { by, message } = outcome;
    return [{ code: 'ObjectRefused', verdict: 'no', object, message, by, pods: 0, load: [] }];
  }
  return distinct([...outcome.undecided, ...doubts]).map((plugin) => ofUndecided(object, plugin));
}

/** The rollout and the review of an object may have the same doubt. */
const distinct = (doubts: readonly Doubt[]): readonly Doubt[] =>
  doubts.filter(
    ({ plugin, why }, index) => doubts.findIndex((other) => other.plugin === plugin && other.why === why) === index,
  );

const ofUndecided = (object: ManifestObject, { plugin, missingKind, why }: Doubt): GateReason => ({
  code: 'ObjectUnknown',
  verdict: 'unknown',
  object,
  message: why,
  by: plugin,
  pods: 0,
  load: missingKind === null ? [] : [missingKind],
});

function reasonsOfWorkload(workload: WorkloadOutcome, object: ManifestObject): readonly GateReason[] {
  const { failedCreate, failedScheduling } = workload;
  // Of a single pod, the object has it already.
  const unknownBecause = workload.unknownBecause.filter(({ code }) => code !== 'admission' || object.kind !== 'Pod');
  const { wanted, created, what } = wantedOfTemplate(workload, object);
  const missing = Math.max(0, wanted - created);
  const failures = missing === 0 ? [] : failedCreate.filter(({ persists }) => persists);
  const isUnknown = unknownBecause.length > 0;
  const reasons: GateReason[] = [
    ...failures.map((failure) => ofFailedCreate(failure, object, missing)),
    ...failedScheduling
      .map((failed) => ofFailedScheduling(failed, object, { isUnknown, mayChange: mayChange(unknownBecause) }))
      .filter((one) => one !== undefined),
    ...unknownBecause.map((unknown) => ofUnknown(unknown, object, wanted)),
  ];
  // Pods that wait may hold the others back, as in a rolling update, or in a StatefulSet.
  if (missing > 0 && reasons.length === 0) {
    const message = what ?? `the controller has created ${created} of ${wanted} pods`;
    reasons.push({
      code: 'NotCreated',
      verdict: 'no',
      object,
      message,
      by: `${workload.kind} controller`,
      pods: missing,
      load: [],
    });
  }
  return reasons;
}

function ofFailedCreate(failure: FailedCreate, object: ManifestObject, pods: number): GateReason {
  const { text: message, by, certain, pod } = failure;
  return {
    code: 'PodRefused',
    verdict: certain ? 'no' : 'unknown',
    object,
    message,
    by,
    pods,
    load: [],
    refused: pod === undefined ? {} : { pod },
  };
}

/** A webhook that is called may change a pod so that it finds a node; what was never loaded is not assumed to. */
const mayChange = (unknownBecause: readonly RolloutUnknown[]): boolean =>
  unknownBecause.some(
    ({ code, plugin, missingKinds }) =>
      code === 'admission' && plugin !== undefined && isOfCluster(plugin) && missingKinds.length === 0,
  );

/** Undefined for pods of which something else says why they wait. */
function ofFailedScheduling(
  { reason, text, pods, pod, placement, node, by: refusing }: FailedScheduling,
  object: ManifestObject,
  { isUnknown, mayChange }: { readonly isUnknown: boolean; readonly mayChange: boolean },
): GateReason | undefined {
  const by = refusing ?? pod.spec.schedulerName ?? 'default-scheduler';
  const head = { object, by, pods, load: [] };
  const message =
    text ?? (!isUnknown && reason === 'Unschedulable' && isRefused(placement) ? WITHOUT_WORDS : undefined);
  if (message !== undefined) {
    const waiting = placement === undefined ? {} : { waiting: { pod, placement } };
    return { code: 'Unschedulable', verdict: mayChange ? 'unknown' : 'no', ...head, message, ...waiting };
  }
  if (isUnknown) return undefined;
  const why =
    node !== undefined
      ? `the scheduler has chosen node ${node}, and waits for a volume`
      : reason === undefined
        ? 'the scheduler has not tried the pods'
        : `the scheduler says ${reason}`;
  return { code: 'PodsUnknown', verdict: 'unknown', ...head, message: why };
}

/** Whether no node can take the pod, and there is none of which that is not known. */
const isRefused = (placement: Placement | undefined): boolean =>
  placement !== undefined && placement.counts.feasible + placement.counts.unknown === 0;

/** A filter besides those that refuse the nodes is not known, and with it the message. */
const WITHOUT_WORDS = 'no node can take the pods; in which words the scheduler says so is not known';

const ofUnknown = (
  { message, plugin, missingKinds }: RolloutUnknown,
  object: ManifestObject,
  pods: number,
): GateReason => ({
  code: 'PodsUnknown',
  verdict: 'unknown',
  object,
  message,
  by: plugin,
  pods,
  load: missingKinds,
});

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
    const isShared = reason.code === 'ObjectUnknown' || reason.code === 'PodsUnknown';
    const key = isShared ? `${reason.by ?? ''} ${reason.message}` : `${merged.size}`;
    const known = isShared ? merged.get(key) : undefined;
    if (known === undefined) {
      merged.set(key, reason);
      continue;
    }
    const object = known.object === reason.object ? known.object : undefined;
    merged.set(key, { ...known, object, pods: known.pods + reason.pods });
  }
  const rankOf = ({ verdict, code }: GateReason): number => (verdict === 'no' ? 0 : RANKS.length) + RANKS.indexOf(code);
  return [...merged.values()].sort((a, b) => rankOf(a) - rankOf(b));
}

interface Counts {
  readonly lookedAt: number;
  readonly aside: number;
  readonly workloads: readonly WorkloadOutcome[];
}

function summaryOf(
  verdict: GateVerdict,
  reasons: readonly GateReason[],
  load: readonly KeptKind[],
  { lookedAt, aside, workloads }: Counts,
): string {
  const wanted = workloads.reduce((sum, { desired }) => sum + desired, 0);
  const others = aside === 0 ? '' : `; ${counted(aside, 'object')} ${aside === 1 ? 'was' : 'were'} not looked at`;
  if (verdict === 'yes') {
    const accepted = lookedAt === 1 ? 'the object is accepted' : `all ${lookedAt} objects are accepted`;
    const bound =
      wanted === 0 ? '' : wanted === 1 ? ', and its pod has a node' : `, and all ${wanted} pods have a node`;
    return `${accepted}${bound}${others}`;
  }
  if (verdict === 'unknown') {
    return `${load.length > 0 ? `load ${load.join(', ')} to know` : (reasons[0]?.message ?? '')}${others}`;
  }
  const certain = reasons.filter((reason) => reason.verdict === 'no');
  const refused = certain.filter(({ code }) => code === 'ObjectRefused').length;
  const pods = (...codes: readonly GateReasonCode[]): number => {
    // Several refusals of one workload are about the same pods.
    const byObject = new Map<ManifestObject | undefined, number>();
    for (const reason of certain) {
      if (!codes.includes(reason.code)) continue;
      const known = byObject.get(reason.object) ?? 0;
      const isSum = reason.code === 'Unschedulable';
      byObject.set(reason.object, isSum ? known + reason.pods : Math.max(known, reason.pods));
    }
    return [...byObject.values()].reduce((sum, one) => sum + one, 0);
  };
  const [missing, waiting] = [pods('PodRefused', 'NotCreated'), pods('Unschedulable')];
  const of = wanted === 1 ? '1 pod' : `${wanted} pods`;
  const parts = [
    ...(refused > 0 ? [`${counted(refused, 'object')} ${refused === 1 ? 'is' : 'are'} refused`] : []),
    ...(missing > 0 ? [`${missing} of ${of} ${missing === 1 ? 'is' : 'are'} not created`] : []),
    ...(waiting > 0 ? [`${waiting} of ${of} ${waiting === 1 ? 'finds' : 'find'} no node`] : []),
  ];
  return `${parts.join(', ')}${others}`;
}
