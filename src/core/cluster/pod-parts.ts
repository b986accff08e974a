import { NOTHING } from '../collections/nothing.js';
import { sameValue } from '../json/same-value.js';
import type { Labels, ObjectMeta, OwnerReference } from '../kubernetes/objects/meta.js';
import type { NodeSelectorTerm } from '../kubernetes/objects/selectors.js';
import type { Affinity, Condition, Pod, PodSpec, PodStatus, Volume } from '../kubernetes/objects/pod.js';

/** The metadata of a pod, and its top level, without values that are individual or interned separately. */
export interface MetaShape {
  readonly apiVersion: string;
  readonly meta: Partial<ObjectMeta>;
  /** Whether the pod has a `deletionTimestamp`, which is an individual value. */
  readonly terminating: boolean;
}

/** A pod's status without its times, which are individual values. */
export interface StatusShape {
  /** Undefined if the pod has no status. Times are empty strings. */
  readonly status: PodStatus | undefined;
  readonly phase: string;
  /** In phase Succeeded or Failed. */
  readonly ended: boolean;
  /** Whether the condition Ready is True. */
  readonly ready: boolean;
  /** Whether it reports resources, so that the pod's amounts do not depend only on its spec. */
  readonly hasResources: boolean;
  readonly nominatedNodeName: string;
}

/** The parts of a pod: those that pods share, and its individual values. `joinPod` assembles the pod again. */
export interface PodParts {
  readonly meta: MetaShape;
  readonly labels: Labels | undefined;
  readonly ownerReferences: readonly OwnerReference[] | undefined;
  readonly spec: PodSpec;
  readonly status: PodStatus | undefined;
  readonly own: readonly (string | null)[];
}

const OWN_META = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'labels',
  'ownerReferences',
] as const;
const OWN_META_KEYS: ReadonlySet<string> = new Set(OWN_META);
const TIMES: ReadonlySet<string> = new Set(['startTime', 'lastHeartbeatTime', 'lastTransitionTime']);

/** The individual values of a pod in a fixed order; null if absent. `pin` is the result of `pinOf`. */
export function ownTexts({ metadata, spec, status }: Pod, pin: string | undefined): (string | null)[] {
  const own = [
    metadata.name,
    metadata.namespace ?? null,
    metadata.uid ?? null,
    metadata.resourceVersion ?? null,
    metadata.creationTimestamp ?? null,
    metadata.deletionTimestamp ?? null,
    spec.nodeName ?? null,
    pin ?? null,
  ];
  if (status?.startTime !== undefined) own.push(status.startTime);
  for (const { lastHeartbeatTime, lastTransitionTime } of status?.conditions ?? []) {
    if (lastHeartbeatTime !== undefined) own.push(lastHeartbeatTime);
    if (lastTransitionTime !== undefined) own.push(lastTransitionTime);
  }
  return own;
}

const NAME = 0;
const UID = 2;
const DELETION_TIMESTAMP = 5;
/** The index of the first of the times, if the status has it. */
const START_TIME = 8;

/** The deletion timestamp in the JSON text of `ownTexts`, without parsing the rest; null if absent. */
export const deletionTimestampOf = (own: string): string | null => textAt(own, DELETION_TIMESTAMP);

/** The name in the same text. */
export const nameOf = (own: string): string => textAt(own, NAME) ?? '';

/** The UID in the same text; null if absent. */
export const uidOf = (own: string): string | null => textAt(own, UID);

/** The start time in the same text, for a pod whose status has one. */
export const startTimeOf = (own: string): string | null => textAt(own, START_TIME);

function textAt(own: string, wanted: number): string | null {
  let at = 1;
  for (let index = 0; index <= wanted; index++) {
    const isText = own[at] === '"';
    const end = isText ? own.indexOf('"', at + 1) : at + 3;
    // A string with an escape, which no valid name has, may continue after the quote.
    const hasEscape = isText && (own[end - 1] === '\\' || (index === wanted && own.slice(at, end).includes('\\')));
    if (hasEscape) return (JSON.parse(own) as (string | null)[])[wanted] ?? null;
    if (index === wanted) return isText ? own.slice(at + 1, end) : null;
    at = end + 2;
  }
  return null;
}

export function sharedMeta(pod: Pod): MetaShape {
  return {
    apiVersion: pod.apiVersion,
    meta: without(pod.metadata, OWN_META_KEYS),
    terminating: pod.metadata.deletionTimestamp !== undefined,
  };
}

/** Whether `sharedMeta(pod)` would equal a shape, without creating it. */
export function hasSharedMeta(shape: MetaShape, pod: Pod): boolean {
  return (
    shape.apiVersion === pod.apiVersion &&
    shape.terminating === (pod.metadata.deletionTimestamp !== undefined) &&
    sameExcept(shape.meta, pod.metadata, OWN_META_KEYS)
  );
}

const NOT_IN_SHARED_SPEC: ReadonlySet<string> = new Set(['nodeName', 'volumes', 'affinity']);

/**
 * A spec without the values that differ between pods of one template: the node, and the node that a DaemonSet's pod is pinned
 * to (`pinOf`). Volumes of which only the name is kept are omitted, because they affect nothing, and every pod has an
 * individual one for its service account.
 */
export function sharedSpec(spec: PodSpec, pin: string | undefined): PodSpec {
  const volumes = keptVolumes(spec);
  const affinity = pin === undefined ? spec.affinity : unpinned(spec.affinity);
  return {
    ...(without(spec, NOT_IN_SHARED_SPEC) as PodSpec),
    ...(affinity === undefined ? {} : { affinity }),
    ...(volumes === undefined ? {} : { volumes }),
  };
}

/** Whether `sharedSpec(spec, pin)` would equal a shared spec, without creating it. */
export function hasSharedSpec(shared: PodSpec, spec: PodSpec, pin: string | undefined): boolean {
  return (
    sameExcept(shared, spec, NOT_IN_SHARED_SPEC) &&
    sameValue(shared.affinity, pin === undefined ? spec.affinity : unpinned(spec.affinity)) &&
    sameValue(shared.volumes, keptVolumes(spec))
  );
}

/**
 * The node to which the DaemonSet controller pins its pod, with `matchFields: metadata.name In [node]` in every term of its
 * required node affinity; undefined for any other pod.
 */
export function pinOf(spec: PodSpec): string | undefined {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const pin = terms?.[0]?.matchFields?.[0]?.values?.[0];
  return terms === undefined || pin === undefined || !terms.every((term) => isPin(term, pin)) ? undefined : pin;
}

/** The spec of a pod that is pinned to a node, for any node; undefined if its required node affinity says more than the node's name. */
export function withoutPin(spec: PodSpec): PodSpec | undefined {
  const { nodeAffinity, ...others } = spec.affinity ?? {};
  const { requiredDuringSchedulingIgnoredDuringExecution: required, ...preferred } = nodeAffinity ?? {};
  if (required?.nodeSelectorTerms.some(({ matchExpressions = [] }) => matchExpressions.length > 0) !== false) {
    return undefined;
  }
  const affinity = {
    ...others,
    ...(preferred.preferredDuringSchedulingIgnoredDuringExecution && { nodeAffinity: preferred }),
  };
  const rest = without(spec, AFFINITY) as PodSpec;
  return Object.keys(affinity).length === 0 ? rest : { ...rest, affinity };
}

const AFFINITY: ReadonlySet<string> = new Set(['affinity']);

/** A status in which every time is an empty string. */
export function sharedStatus(status: PodStatus): PodStatus {
  return withTimes(status, []);
}

/** Whether `sharedStatus(status)` would equal a shared status, without creating it. */
export function hasSharedStatus(shared: PodStatus | undefined, status: PodStatus | undefined): boolean {
  if (shared === undefined || status === undefined) return shared === status;
  const ours = shared.conditions ?? [];
  const theirs = status.conditions ?? [];
  return (
    sameExcept(shared, status, STATUS_APART) &&
    (shared.startTime === undefined) === (status.startTime === undefined) &&
    (shared.conditions === undefined) === (status.conditions === undefined) &&
    ours.length === theirs.length &&
    ours.every((condition, i) => {
      const other = theirs[i]!;
      return (
        sameExcept(condition, other, TIMES) &&
        (condition.lastHeartbeatTime === undefined) === (other.lastHeartbeatTime === undefined) &&
        (condition.lastTransitionTime === undefined) === (other.lastTransitionTime === undefined)
      );
    })
  );
}

const STATUS_APART: ReadonlySet<string> = new Set(['startTime', 'conditions']);

/** Assembles a pod from its parts. */
export function joinPod(parts: PodParts): Pod {
  const [name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp, nodeName, pin, ...times] =
    parts.own;
  const { labels, ownerReferences } = parts;
  const spec = pin === null || pin === undefined ? parts.spec : pinned(parts.spec, pin);
  const metadata: Writable<ObjectMeta> = { ...NOTHING, ...parts.meta.meta, name: name ?? '' };
  if (isGiven(namespace)) metadata.namespace = namespace;
  if (isGiven(uid)) metadata.uid = uid;
  if (isGiven(resourceVersion)) metadata.resourceVersion = resourceVersion;
  if (isGiven(creationTimestamp)) metadata.creationTimestamp = creationTimestamp;
  if (isGiven(deletionTimestamp)) metadata.deletionTimestamp = deletionTimestamp;
  if (labels !== undefined) metadata.labels = labels;
  if (ownerReferences !== undefined) metadata.ownerReferences = ownerReferences;
  const pod: Writable<Pod> = {
    apiVersion: parts.meta.apiVersion,
    kind: 'Pod',
    metadata,
    spec: isGiven(nodeName) ? { ...NOTHING, ...spec, nodeName } : spec,
  };
  if (parts.status !== undefined) pod.status = withTimes(parts.status, times);
  return pod;
}

/** The shape of a status without its times. */
export function statusShape(status: PodStatus | undefined): StatusShape {
  const phase = status?.phase ?? '';
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return {
    status,
    phase,
    ended: phase === 'Succeeded' || phase === 'Failed',
    ready: status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True',
    hasResources:
      status?.resources !== undefined ||
      status?.allocatedResources !== undefined ||
      statuses.some((container) => container.resources !== undefined || container.allocatedResources !== undefined),
    nominatedNodeName: status?.nominatedNodeName ?? '',
  };
}

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

const isGiven = (value: string | null | undefined): value is string => value !== null && value !== undefined;

function keptVolumes({ volumes }: PodSpec): readonly Volume[] | undefined {
  if (volumes === undefined) return undefined;
  const kept = volumes.filter((volume) => Object.keys(volume).length > 1);
  return kept.length === 0 ? undefined : kept;
}

function without(value: object, keys: ReadonlySet<string>): object {
  const given = value as Readonly<Record<string, unknown>>;
  const rest: Record<string, unknown> = {};
  for (const key in given) if (!keys.has(key)) rest[key] = given[key];
  return rest;
}

/** Whether `a` and `b` have the same entries, except those under `keys`. */
function sameExcept(a: object, b: object, keys: ReadonlySet<string>): boolean {
  const left = a as Readonly<Record<string, unknown>>;
  const right = b as Readonly<Record<string, unknown>>;
  let difference = 0;
  for (const key in right) {
    if (keys.has(key)) continue;
    difference += 1;
    if (!sameValue(left[key], right[key])) return false;
  }
  for (const key in left) if (!keys.has(key)) difference -= 1;
  return difference === 0;
}

function unpinned(affinity: Affinity | undefined): Affinity | undefined {
  return withTerms(affinity, (terms) => terms.map((term) => without(term, MATCH_FIELDS)));
}

const MATCH_FIELDS: ReadonlySet<string> = new Set(['matchFields']);

function pinned(spec: PodSpec, pin: string): PodSpec {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [pin] }];
  const affinity = withTerms(spec.affinity, (terms) => terms.map((term) => ({ ...NOTHING, ...term, matchFields })));
  return affinity === undefined ? spec : { ...NOTHING, ...spec, affinity };
}

function isPin({ matchFields }: NodeSelectorTerm, pin: string): boolean {
  const [field] = matchFields ?? [];
  return (
    matchFields?.length === 1 &&
    field?.key === 'metadata.name' &&
    field.operator === 'In' &&
    field.values?.length === 1 &&
    field.values[0] === pin
  );
}

function withTerms(
  affinity: Affinity | undefined,
  change: (terms: readonly NodeSelectorTerm[]) => readonly NodeSelectorTerm[],
): Affinity | undefined {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return affinity;
  return {
    ...NOTHING,
    ...affinity,
    nodeAffinity: {
      ...NOTHING,
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: change(required.nodeSelectorTerms) },
    },
  };
}

/** Sets the times of a status, in the order of `ownTexts`; missing ones become empty strings. */
function withTimes(status: PodStatus, times: readonly (string | null)[]): PodStatus {
  let next = 0;
  const made: Writable<PodStatus> = without(status, STATUS_APART);
  const { startTime, conditions } = status;
  if (startTime !== undefined) made.startTime = times[next++] ?? '';
  if (conditions === undefined) return made;
  made.conditions = conditions.map((condition) => {
    const one: Writable<Condition> = without(condition, TIMES) as Condition;
    if (condition.lastHeartbeatTime !== undefined) one.lastHeartbeatTime = times[next++] ?? '';
    if (condition.lastTransitionTime !== undefined) one.lastTransitionTime = times[next++] ?? '';
    return one;
  });
  return made;
}
