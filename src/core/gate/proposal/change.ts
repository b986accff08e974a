import type { ClusterState } from '../../cluster/cluster-state.js';
import type { JsonObject } from '../../json/json-value.js';
import type { ManifestObject, ManifestSource } from '../../kubernetes/manifests/manifest-object.js';
import type { KubernetesObject } from '../../kubernetes/objects/meta.js';
import type { ResourceQuota } from '../../kubernetes/objects/quota.js';

/** The manifests to judge, and the cluster to judge them in. */
export interface GateSubject {
  readonly objects: readonly ManifestObject[];
  readonly state: ClusterState;
}

/** One change that can be made, and undone, by itself. */
export type GateChange = { readonly text: string } & (
  | {
      readonly of: 'Manifest';
      /** The object, known by its place in the request. */
      readonly object: ManifestObject;
      readonly edit: (value: JsonObject) => JsonObject;
    }
  /** A manifest that is missing. */
  | { readonly of: 'NewManifest'; readonly object: ManifestObject }
  | { readonly of: 'Node'; readonly name: string; readonly change: ChangeObject; readonly command: string }
  | {
      readonly of: 'ResourceQuota';
      readonly namespace: string;
      readonly name: string;
      readonly change: ChangeObject;
      readonly command: string;
    }
);

type ChangeObject = (object: KubernetesObject) => KubernetesObject;

/** The subject with the changes made to it, one after another; a change of an object that is not there does nothing. */
export function withChanges(subject: GateSubject, changes: readonly GateChange[]): GateSubject {
  if (changes.length === 0) return subject;
  const edits = new Map<ManifestSource, ((value: JsonObject) => JsonObject)[]>();
  const added: ManifestObject[] = [];
  const upserts = new Map<string, KubernetesObject>();
  const changeStored = (
    kind: 'Node' | 'ResourceQuota',
    namespace: string | undefined,
    name: string,
    change: ChangeObject,
  ) => {
    const key = `${kind} ${namespace ?? ''}/${name}`;
    const before = upserts.get(key) ?? storedObject(subject.state, kind, namespace, name);
    if (before !== undefined) upserts.set(key, change(before));
  };
  for (const change of changes) {
    switch (change.of) {
      case 'Manifest':
        edits.set(change.object.source, [...(edits.get(change.object.source) ?? []), change.edit]);
        break;
      case 'NewManifest':
        added.push(change.object);
        break;
      case 'Node':
        changeStored('Node', undefined, change.name, change.change);
        break;
      case 'ResourceQuota':
        changeStored('ResourceQuota', change.namespace, change.name, change.change);
    }
  }
  const objects = subject.objects.map((object) => {
    const own = edits.get(object.source);
    if (own === undefined) return object;
    const value = own.reduce((before, edit) => edit(before), object.value);
    const { apiVersion } = value;
    return { ...object, value, ...(typeof apiVersion === 'string' && { apiVersion }) };
  });
  return {
    objects: [...added, ...objects],
    state: upserts.size === 0 ? subject.state : subject.state.apply({ upserts: upserts.values() }),
  };
}

function storedObject(
  state: ClusterState,
  kind: 'Node' | 'ResourceQuota',
  namespace: string | undefined,
  name: string,
): KubernetesObject | undefined {
  if (kind === 'ResourceQuota') return state.find(kind, namespace, name);
  const index = state.nodes.indexOf(name);
  return index < 0 ? undefined : state.nodes.node(index);
}

/** A quota with other limits. The status too: admission reads it, and the controller copies it there at once. */
export const withLimits =
  (limits: Readonly<Record<string, string>>): ChangeObject =>
  (object) => {
    const quota = object as ResourceQuota;
    const changed: ResourceQuota = {
      ...quota,
      spec: { ...quota.spec, hard: { ...quota.spec?.hard, ...limits } },
      status: { ...quota.status, hard: { ...quota.status?.hard, ...limits } },
    };
    return changed;
  };
