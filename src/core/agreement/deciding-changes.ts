import type { ClusterState } from '../cluster/cluster-state.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { decisionAbout, type PodDecision } from './decision.js';

export interface ObjectName {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** One object that changed: what it is afterwards, or that it is gone. */
export type OneChange = { readonly upsert: KubernetesObject } | { readonly delete: ObjectName };

/** The changes of a revision, by what they mean to a scheduler. */
export interface DecidingChanges {
  readonly decisions: readonly PodDecision[];
  /** New objects that pods refer to, or whose selectors they match: they come before the pods. */
  readonly preparing: readonly KubernetesObject[];
  /** Other changes that may decide about a pod, in their order as far as it is known. */
  readonly others: readonly OneChange[];
}

/** Kinds whose objects decide where pods go, besides nodes and pods. */
const DECIDING: ReadonlySet<string> = new Set([
  'Namespace',
  'Service',
  'ReplicationController',
  'ReplicaSet',
  'StatefulSet',
  'PersistentVolumeClaim',
  'PersistentVolume',
  'StorageClass',
  'CSINode',
  'CSIDriver',
  'CSIStorageCapacity',
  'VolumeAttachment',
  'ResourceClaim',
  'ResourceSlice',
  'DeviceClass',
  'DeviceTaintRule',
  'PodDisruptionBudget',
  'SchedulerConfiguration',
]);
/** Of these, only the selector decides. */
const BY_SELECTOR: ReadonlySet<string> = new Set(['Service', 'ReplicationController', 'ReplicaSet', 'StatefulSet']);
const ENDED = new Set(['Succeeded', 'Failed']);

/** Sorts the changes between two states. */
export function decidingChanges(
  before: ClusterState,
  { upserts, deletes }: { readonly upserts: readonly KubernetesObject[]; readonly deletes: readonly ObjectName[] },
): DecidingChanges {
  const decisions: PodDecision[] = [];
  const preparing: KubernetesObject[] = [];
  const others: OneChange[] = [];
  for (const object of upserts) {
    const { kind, metadata } = object;
    if (kind === 'Pod') {
      const decision = decisionAbout(before, object as Pod);
      if (decision !== undefined) decisions.push(decision);
      else if (podText(formerPod(before, object)) !== podText(object as Pod)) others.push({ upsert: object });
      continue;
    }
    if (kind !== 'Node' && !DECIDING.has(kind)) continue;
    const former = before.find(kind as 'Node', metadata.namespace, metadata.name);
    if (former === undefined && kind !== 'Node') preparing.push(object);
    else if (former === undefined || textOf(former) !== textOf(object)) others.push({ upsert: object });
  }
  for (const name of deletes) {
    if (name.kind !== 'Node' && name.kind !== 'Pod' && !DECIDING.has(name.kind)) continue;
    if (name.kind === 'Pod' && podText(before.find('Pod', name.namespace, name.name) as Pod | undefined) === '')
      continue;
    others.push({ delete: name });
  }
  return {
    decisions: [...decisions].sort(byOrder),
    preparing,
    others: others.sort((a, b) => versionOf(a) - versionOf(b)),
  };
}

/** The earlier one first, as far as they show it: by the version of the API server, or by the time. */
function byOrder(a: PodDecision, b: PodDecision): number {
  const [one, other] = [versionOf({ upsert: a.pod }), versionOf({ upsert: b.pod })];
  if (one !== other && Number.isFinite(one) && Number.isFinite(other)) return one - other;
  const times = (a.at ?? 0) - (b.at ?? 0);
  if (times !== 0) return times;
  const [older, younger] = [a.pod.metadata.creationTimestamp ?? '', b.pod.metadata.creationTimestamp ?? ''];
  return older < younger ? -1 : older > younger ? 1 : 0;
}

/** Versions of one etcd grow with each write; deletions do not tell theirs, and come first: they make room. */
function versionOf(change: OneChange): number {
  if ('delete' in change) return 0;
  const version = Number(change.upsert.metadata.resourceVersion);
  return version > 0 ? version : Number.POSITIVE_INFINITY;
}

const formerPod = (before: ClusterState, { metadata }: KubernetesObject): Pod | undefined =>
  before.find('Pod', metadata.namespace, metadata.name) as Pod | undefined;

/** What of a pod decides about others; empty if nothing does. */
function podText(pod: Pod | undefined): string {
  if (pod === undefined) return '';
  const { metadata, spec, status = {} } = pod;
  const node = spec.nodeName ?? '';
  if (node === '' || ENDED.has(status.phase ?? '')) {
    const { nominatedNodeName = '' } = status;
    return node === '' && nominatedNodeName !== '' ? JSON.stringify([nominatedNodeName, metadata.labels, spec]) : '';
  }
  const { containerStatuses = [], initContainerStatuses = [] } = status;
  const held = [...containerStatuses, ...initContainerStatuses].map((one) => [
    one.name,
    'resources' in one ? one.resources : undefined,
    'allocatedResources' in one ? one.allocatedResources : undefined,
  ]);
  const isEnding = metadata.deletionTimestamp !== undefined;
  return JSON.stringify([metadata.labels, spec, isEnding, held, status.resources, status.allocatedResources], bigints);
}

/** What of another object decides. */
function textOf(object: KubernetesObject): string {
  const { labels = {}, annotations = {} } = object.metadata;
  if (object.kind === 'Node') {
    const { spec = {}, status = {} } = object as Node;
    const { taints = [], unschedulable = false } = spec;
    const without = taints.map(({ key, value, effect }) => [key, value ?? '', effect]);
    return JSON.stringify(
      [labels, annotations, without, unschedulable, status.allocatable, status.images, status.declaredFeatures],
      bigints,
    );
  }
  const { spec, status, ...rest } = object as KubernetesObject & {
    readonly spec?: { readonly selector?: unknown };
    readonly status?: unknown;
  };
  if (BY_SELECTOR.has(object.kind)) return JSON.stringify([spec?.selector], bigints);
  const own = Object.fromEntries(Object.entries(rest).filter(([key]) => key !== 'metadata'));
  return JSON.stringify([labels, annotations, spec, status, own], bigints);
}

const bigints = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
