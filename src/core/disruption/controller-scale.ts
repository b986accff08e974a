import type { KubernetesObject, OwnerReference } from '../kubernetes/objects/meta.js';
import { controllerOf } from '../kubernetes/controller-of.js';

/** An object with a desired number of replicas: a workload, or the scale subresource of a custom resource. */
export interface Scalable extends KubernetesObject {
  readonly spec?: { readonly replicas?: number };
}

/** The kinds that the disruption controller watches. */
export type WatchedKind = 'ReplicationController' | 'ReplicaSet' | 'Deployment' | 'StatefulSet';

/** The API server's response for the scale subresource of an object. */
export type ScaleAnswer =
  { readonly scale: Scalable | undefined } | { readonly error: string } | { readonly unknown: string };

/** Where the disruption controller looks up the controllers of pods. */
export interface ScaleSource {
  /** The object of a watched kind; `unknown` is the reason why its existence is not known. */
  find(
    kind: WatchedKind,
    namespace: string,
    name: string,
  ): { readonly object: Scalable | undefined } | { readonly unknown: string };
  /**
   * The scale subresource by group, version and kind; undefined scale: the kind has the subresource, but the object was
   * not found.
   */
  scale(group: string, version: string, kind: string, namespace: string, name: string): ScaleAnswer;
}

/** A controller by its UID, and the number of replicas that it wants. */
export interface ControllerScale {
  readonly uid: string;
  readonly kind: string;
  readonly name: string;
  readonly replicas: number;
}

/** The controller of a pod; no controller; the error that ends the sync; or why the controller is not known. */
export type FoundController =
  { readonly controller: ControllerScale | undefined } | { readonly error: string } | { readonly unknown: string };

/**
 * The controller whose replicas count for a pod: the Deployment of a ReplicaSet, else the ReplicaSet, StatefulSet or
 * ReplicationController itself, else any object with a scale subresource. UIDs must match; API versions of a group need
 * not.
 *
 * A ReplicaSet whose Deployment is gone is looked up by its scale subresource, so its own replicas count.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/disruption/disruption.go, `finders`, `getScaleController`.
 */
export function findController(reference: OwnerReference, namespace: string, source: ScaleSource): FoundController {
  const version = parseGroupVersion(reference.apiVersion);
  if ('error' in version) return version;
  const { group } = version;
  const watched = watchedKind(group, reference.kind);
  if (watched !== undefined) {
    const found = source.find(watched, namespace, reference.name);
    if ('unknown' in found) return found;
    const { object } = found;
    if (object !== undefined && sameUid(object, reference.uid)) {
      if (watched !== 'ReplicaSet') return { controller: scaleOf(object) };
      const counted = replicaSetScale(object, namespace, source);
      if (counted !== undefined) return counted;
    }
  }
  const answer = source.scale(group, version.version, reference.kind, namespace, reference.name);
  if (!('scale' in answer)) return answer;
  return {
    controller: answer.scale !== undefined && sameUid(answer.scale, reference.uid) ? scaleOf(answer.scale) : undefined,
  };
}

/**
 * The Deployment of a ReplicaSet, or the ReplicaSet if no Deployment controls it; undefined if its Deployment is gone.
 */
function replicaSetScale(replicaSet: Scalable, namespace: string, source: ScaleSource): FoundController | undefined {
  const owner = controllerOf(replicaSet.metadata.ownerReferences);
  if (owner === undefined) return { controller: scaleOf(replicaSet) };
  const version = parseGroupVersion(owner.apiVersion);
  if ('error' in version) return version;
  if (owner.kind !== 'Deployment') return { controller: scaleOf(replicaSet) };
  if (!isWorkloadGroup(version.group)) return undefined;
  const found = source.find('Deployment', namespace, owner.name);
  if ('unknown' in found) return found;
  const deployment = found.object;
  return deployment !== undefined && sameUid(deployment, owner.uid) ? { controller: scaleOf(deployment) } : undefined;
}

/** The kind that has its own finder. A Deployment that controls pods directly has none: only its scale counts. */
function watchedKind(group: string, kind: string): Exclude<WatchedKind, 'Deployment'> | undefined {
  if (kind === 'ReplicationController') return group === '' ? kind : undefined;
  if (kind === 'ReplicaSet') return isWorkloadGroup(group) ? kind : undefined;
  if (kind === 'StatefulSet') return group === 'apps' ? kind : undefined;
  return undefined;
}

const isWorkloadGroup = (group: string): boolean => group === 'apps' || group === 'extensions';

const sameUid = (object: KubernetesObject, uid: string | undefined): boolean =>
  (object.metadata.uid ?? '') === (uid ?? '');

/** The count, or the API server's default for an absent one. */
const scaleOf = ({ kind, metadata, spec }: Scalable): ControllerScale => ({
  uid: metadata.uid ?? '',
  kind,
  name: metadata.name,
  replicas: spec?.replicas ?? 1,
});

/** `schema.ParseGroupVersion` (k8s.io/apimachinery v0.36.2, pkg/runtime/schema/group_version.go). */
export function parseGroupVersion(
  apiVersion: string,
): { readonly group: string; readonly version: string } | { readonly error: string } {
  if (apiVersion === '' || apiVersion === '/') return { group: '', version: '' };
  const parts = apiVersion.split('/');
  const [first = '', second] = parts;
  if (parts.length > 2) return { error: `unexpected GroupVersion string: ${apiVersion}` };
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}
