import type { Labels, ObjectMeta, OwnerReference } from '../kubernetes/objects/meta.js';
import type { NodeSelectorTerm } from '../kubernetes/objects/selectors.js';
import type { Condition, Pod, PodSpec, PodStatus } from '../kubernetes/objects/pod.js';

/** What is left of a pod's metadata, and of its top level, when all that is its own or interned apart is taken out. */
export interface MetaShape {
  readonly apiVersion: string;
  readonly meta: Partial<ObjectMeta>;
}

/** A pod's status without its times, which are the pod's own. */
export interface StatusShape {
  /** Undefined where the pod has no status. Times are there as empty texts. */
  readonly status: PodStatus | undefined;
  readonly phase: string;
  /** In phase Succeeded or Failed. */
  readonly ended: boolean;
  /** Whether it reports resources, so that what the pod holds does not follow from its spec alone. */
  readonly hasResources: boolean;
  readonly nominatedNodeName: string;
}

/** A pod taken apart into what pods share and what is its own. `joinPod` puts it together again. */
export interface PodParts {
  readonly meta: MetaShape;
  readonly labels: Labels | undefined;
  readonly ownerReferences: readonly OwnerReference[] | undefined;
  readonly spec: PodSpec;
  readonly status: PodStatus | undefined;
  /** Texts of the pod itself, in a fixed order; null where absent. */
  readonly own: readonly (string | null)[];
}

/**
 * Takes a pod apart.
 *
 * Left out of what is shared, so that pods of one template share it: the name, uid, versions and times; the node; and the
 * node that a DaemonSet's pod is pinned to (the controller writes `matchFields: metadata.name In [node]` into every term
 * of its required node affinity). A volume of which nothing but its name is kept decides nothing and is not kept at all:
 * every pod has one of its own, for its service account.
 */
export function takeApart(pod: Pod): PodParts {
  const {
    name,
    namespace,
    uid,
    resourceVersion,
    creationTimestamp,
    deletionTimestamp,
    labels,
    ownerReferences,
    ...meta
  } = pod.metadata;
  const times: string[] = [];
  const { spec, pin } = unpinned(pod.spec);
  const status = pod.status === undefined ? undefined : withoutTimes(pod.status, times);
  return {
    meta: { apiVersion: pod.apiVersion, meta },
    labels,
    ownerReferences,
    spec,
    status,
    own: [
      name,
      namespace ?? null,
      uid ?? null,
      resourceVersion ?? null,
      creationTimestamp ?? null,
      deletionTimestamp ?? null,
      pod.spec.nodeName ?? null,
      pin ?? null,
      ...times,
    ],
  };
}

/** The pod that `takeApart` took apart. */
export function joinPod(parts: PodParts): Pod {
  const [name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp, nodeName, pin, ...times] =
    parts.own;
  const { labels, ownerReferences } = parts;
  const spec = pin === null || pin === undefined ? parts.spec : pinned(parts.spec, pin);
  return {
    apiVersion: parts.meta.apiVersion,
    kind: 'Pod',
    metadata: {
      ...parts.meta.meta,
      name: name ?? '',
      ...given('namespace', namespace),
      ...given('uid', uid),
      ...given('resourceVersion', resourceVersion),
      ...given('creationTimestamp', creationTimestamp),
      ...given('deletionTimestamp', deletionTimestamp),
      ...(labels === undefined ? {} : { labels }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
    spec: nodeName === null || nodeName === undefined ? spec : { ...spec, nodeName },
    ...(parts.status === undefined ? {} : { status: withTimes(parts.status, times) }),
  };
}

/** The shape of a status whose times are taken out. */
export function statusShape(status: PodStatus | undefined): StatusShape {
  const phase = status?.phase ?? '';
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return {
    status,
    phase,
    ended: phase === 'Succeeded' || phase === 'Failed',
    hasResources:
      status?.resources !== undefined ||
      status?.allocatedResources !== undefined ||
      statuses.some((container) => container.resources !== undefined || container.allocatedResources !== undefined),
    nominatedNodeName: status?.nominatedNodeName ?? '',
  };
}

function given(key: string, value: string | null | undefined): Readonly<Record<string, string>> {
  return value === null || value === undefined ? {} : { [key]: value };
}

function unpinned(given: PodSpec): { readonly spec: PodSpec; readonly pin?: string } {
  const { volumes } = given;
  const rest = without(given, ['nodeName', 'volumes']);
  const kept = volumes?.filter((volume) => Object.keys(volume).length > 1);
  const spec: PodSpec = kept === undefined || kept.length === 0 ? rest : { ...rest, volumes: kept };
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const pin = terms?.[0]?.matchFields?.[0]?.values?.[0];
  if (terms === undefined || pin === undefined || !terms.every((term) => isPin(term, pin))) return { spec };
  return {
    spec: withTerms(
      spec,
      terms.map((term) => without(term, ['matchFields'])),
    ),
    pin,
  };
}

function without<T extends object, K extends keyof T>(value: T, keys: readonly K[]): Omit<T, K> {
  const rest = { ...value };
  for (const key of keys) Reflect.deleteProperty(rest, key);
  return rest;
}

function pinned(spec: PodSpec, pin: string): PodSpec {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [pin] }];
  return withTerms(
    spec,
    terms.map((term) => ({ ...term, matchFields })),
  );
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

function withTerms(spec: PodSpec, nodeSelectorTerms: readonly NodeSelectorTerm[]): PodSpec {
  return {
    ...spec,
    affinity: {
      ...spec.affinity,
      nodeAffinity: {
        ...spec.affinity?.nodeAffinity,
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
      },
    },
  };
}

/** In the order in which `withTimes` puts them back: the start, then each condition's heartbeat and transition. */
function withoutTimes(status: PodStatus, times: string[]): PodStatus {
  const taken = (time: string | undefined): { readonly time?: '' } => {
    if (time === undefined) return {};
    times.push(time);
    return { time: '' };
  };
  const { startTime, conditions, ...rest } = status;
  return {
    ...rest,
    ...renamed('startTime', taken(startTime)),
    ...(conditions === undefined
      ? {}
      : {
          conditions: conditions.map(({ lastHeartbeatTime, lastTransitionTime, ...condition }): Condition => ({
            ...condition,
            ...renamed('lastHeartbeatTime', taken(lastHeartbeatTime)),
            ...renamed('lastTransitionTime', taken(lastTransitionTime)),
          })),
        }),
  };
}

function withTimes(status: PodStatus, times: readonly (string | null)[]): PodStatus {
  let next = 0;
  const put = (time: string | undefined): { readonly time?: string } =>
    time === undefined ? {} : { time: times[next++] ?? '' };
  const { startTime, conditions, ...rest } = status;
  return {
    ...rest,
    ...renamed('startTime', put(startTime)),
    ...(conditions === undefined
      ? {}
      : {
          conditions: conditions.map(({ lastHeartbeatTime, lastTransitionTime, ...condition }): Condition => ({
            ...condition,
            ...renamed('lastHeartbeatTime', put(lastHeartbeatTime)),
            ...renamed('lastTransitionTime', put(lastTransitionTime)),
          })),
        }),
  };
}

function renamed(key: string, { time }: { readonly time?: string }): Readonly<Record<string, string>> {
  return time === undefined ? {} : { [key]: time };
}
