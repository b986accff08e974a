import { tooMany, type FieldError } from '../core/kubernetes/field-error.js';
import { FieldPath } from '../core/kubernetes/field-path.js';
import type { KeptKind } from '../core/kubernetes/kinds.js';
import type { KubernetesObject } from '../core/kubernetes/objects/meta.js';

/**
 * The maximum number of taints of a node or tolerations of a pod. Kubernetes has no such limit; clusters use a few
 * dozen.
 */
export const MAX_ENTRIES = 1000;

const TEMPLATE = ['spec', 'template', 'spec', 'tolerations'] as const;

/** The list of each kind that every query about a node or pod iterates over. */
export const WALKED_LISTS: Readonly<Partial<Record<KeptKind, readonly [string, ...string[]]>>> = {
  Node: ['spec', 'taints'],
  Pod: ['spec', 'tolerations'],
  Deployment: TEMPLATE,
  ReplicaSet: TEMPLATE,
  StatefulSet: TEMPLATE,
  DaemonSet: TEMPLATE,
  Job: TEMPLATE,
  ReplicationController: TEMPLATE,
  CronJob: ['spec', 'jobTemplate', ...TEMPLATE],
  RuntimeClass: ['scheduling', 'tolerations'],
};

/** The errors for taint or toleration lists that are too long. */
export function checkListLengths(object: KubernetesObject): FieldError[] {
  const path = WALKED_LISTS[object.kind as KeptKind];
  if (path === undefined) return [];
  let value: unknown = object;
  for (const name of path) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
  if (!Array.isArray(value) || value.length <= MAX_ENTRIES) return [];
  return [tooMany(FieldPath.of(...path), value.length, MAX_ENTRIES)];
}
