import type { ClusterState } from '../cluster/cluster-state.js';
import { KINDS } from '../kubernetes/kinds.js';
import type { ScaleAnswer, ScaleSource, Scalable, WatchedKind } from './controller-scale.js';

/** The API versions of the kinds with a scale subresource. */
const SCALED: ReadonlyMap<string, WatchedKind> = new Map<string, WatchedKind>([
  ['apps/v1 ReplicaSet', 'ReplicaSet'],
  ['apps/v1 Deployment', 'Deployment'],
  ['apps/v1 StatefulSet', 'StatefulSet'],
  ['/v1 ReplicationController', 'ReplicationController'],
]);

/** The other stored kinds: none of them has a scale subresource. */
const RESOURCES: ReadonlyMap<string, string> = new Map(
  KINDS.map(({ apiVersions: [served], kind, plural }) => {
    const [group, version] = served.includes('/') ? served.split('/') : ['', served];
    return [`${group}/${version} ${kind}`, group === '' ? plural : `${plural}.${group}`];
  }),
);

/**
 * Kubernetes' own groups, whose kinds are all known; every other group belongs to a custom resource or an aggregated
 * API.
 */
const isBuiltIn = (group: string): boolean => !group.includes('.') || group.endsWith('.k8s.io');

/**
 * The controllers of a state as the disruption controller would find them. Custom resources are not stored, so the
 * number of pods that they want is not known; the same applies to kinds that the state lacks.
 */
export function stateScaleSource(state: ClusterState): ScaleSource {
  const find = (
    kind: WatchedKind,
    namespace: string,
    name: string,
  ): { readonly object: Scalable | undefined } | { readonly unknown: string } =>
    state.loadedKinds.has(kind)
      ? { object: state.find(kind, namespace, name) as Scalable | undefined }
      : { unknown: `no ${kind} is stored, and the result depends on whether ${kind} ${namespace}/${name} exists` };
  const scale = (group: string, version: string, kind: string, namespace: string, name: string): ScaleAnswer => {
    const key = `${group}/${version} ${kind}`;
    const watched = SCALED.get(key);
    if (watched !== undefined) {
      const found = find(watched, namespace, name);
      return 'unknown' in found ? found : { scale: found.object };
    }
    const resource = RESOURCES.get(key);
    if (resource !== undefined) return { error: `${resource} does not implement the scale subresource` };
    const apiVersion = group === '' ? version : `${group}/${version}`;
    if (isBuiltIn(group)) return { error: `no matches for kind "${kind}" in version "${apiVersion}"` };
    return { unknown: `the number of pods that ${kind} ${namespace}/${name} (${apiVersion}) wants is not stored` };
  };
  return { find, scale };
}
