import { isJsonObject, type JsonObject } from '../json/json-value.js';
import { defined } from '../collections/defined.js';
import { withoutNames } from '../collections/without.js';
import type { Cause } from '../kubernetes/admission-refusal.js';
import { decodeObject } from '../kubernetes/decode.js';
import { isKeptKind, type KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { ManifestObject } from './rollout.js';
import { markWholeObject } from './templates.js';

/** A manifest as the API server reads it. */
export type ReadManifest =
  | { readonly outcome: 'read'; readonly kind: KeptKind; readonly object: KubernetesObject }
  | { readonly outcome: 'invalid'; readonly message: string; readonly causes: readonly Cause[] }
  | { readonly outcome: 'notLookedAt'; readonly why: string };

/** Decodes a manifest with all fields that the API server of a minor version knows, in its namespace. */
export function readManifest(
  { value, namespace, name, apiVersion, kind }: ManifestObject,
  minor: number,
): ReadManifest {
  const metadata = isJsonObject(value['metadata']) ? value['metadata'] : {};
  const decoded = decodeObject(
    { ...value, metadata: { ...metadata, name, ...defined({ namespace }) } },
    { whole: true, unbounded: true, apiVersion, kind, minor },
  );
  if (decoded.outcome === 'ignored') {
    const what = isKeptKind(decoded.kind) ? `${decoded.apiVersion} is no version of ${decoded.kind}` : decoded.kind;
    return { outcome: 'notLookedAt', why: `${what} has no effect here on where pods run` };
  }
  if (decoded.outcome === 'invalid') {
    const message = decoded.errors.map(({ field, message: text }) => `${field}: ${text}`).join(', ');
    return { outcome: 'invalid', message, causes: decoded.errors };
  }
  markWholeObject(decoded.object);
  return { outcome: 'read', kind: decoded.info.kind, object: decoded.object };
}

/** Kinds that take effect before the pods of the same request are created, because controllers try again until they are there. */
export const LOOKED_UP_FIRST: ReadonlySet<string> = new Set<KeptKind>([
  'Namespace',
  'ServiceAccount',
  'LimitRange',
  'ResourceQuota',
  'PriorityClass',
  'RuntimeClass',
  'StorageClass',
  'CSIDriver',
  'CSINode',
  'CSIStorageCapacity',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'PodDisruptionBudget',
  'Service',
  'ResourceClaim',
  'ResourceClaimTemplate',
  'DeviceClass',
  'DeviceTaintRule',
  'PodGroup',
  'CoschedulingPodGroup',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
]);

export const WORKLOADS: ReadonlySet<string> = new Set<KeptKind>([
  'Pod',
  'Deployment',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
]);

/**
 * An object over another of its name: what the new one leaves out stays as it was, unless it cannot stand beside what is sent; lists and pod
 * templates are replaced as a whole. So kubectl apply has it for a manifest from which nothing was taken out but parts of a list or a template.
 */
export function mergedOver<T extends KubernetesObject>(stored: T, sent: T): T {
  const { uid, creationTimestamp, resourceVersion, generation, ownerReferences } = stored.metadata;
  const merged = merge(stored as unknown as JsonObject, sent as unknown as JsonObject, []) as unknown as T;
  return {
    ...merged,
    metadata: {
      ...merged.metadata,
      ...defined({ uid, creationTimestamp, resourceVersion, generation, ownerReferences }),
    },
    ...('status' in stored && { status: stored.status }),
  };
}

function merge(before: JsonObject, after: JsonObject, path: readonly string[]): JsonObject {
  const replaced = path.length === 1 ? Object.keys(after).flatMap((key) => ALTERNATIVES.get(key) ?? []) : [];
  const merged: JsonObject = { ...withoutNames(before, new Set(replaced)) };
  for (const [key, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    const isMerged = isJsonObject(value) && isJsonObject(old) && !isReplaced(key, old, value, path);
    merged[key] = isMerged ? merge(old, value, [...path, key]) : value;
  }
  return merged;
}

/** Members of the spec of a PodDisruptionBudget of which only one may be there. */
const ALTERNATIVES: ReadonlyMap<string, string> = new Map([
  ['minAvailable', 'maxUnavailable'],
  ['maxUnavailable', 'minAvailable'],
]);

/** Pod templates; and the strategy of a Deployment, whose other members belong to its type (`patchStrategy: retainKeys`, k8s.io/api v0.36.2, apps/v1). */
function isReplaced(key: string, old: JsonObject, value: JsonObject, path: readonly string[]): boolean {
  if (key === 'template') return path.length === 1 || path.at(-1) === 'spec';
  return key === 'strategy' && path.length === 1 && value['type'] !== undefined && value['type'] !== old['type'];
}
