import type { KubernetesObject, OwnerReference } from '../kubernetes/objects/meta.js';
import type { Workload } from './pod-table.js';

/**
 * The maximum length of a chain of owners (a real one is pod, Job, CronJob and perhaps its owner), so that a cycle
 * ends.
 */
const MAX_OWNERS = 8;

/** Finds a stored object. */
export type FindObject = (kind: string, namespace: string, name: string) => KubernetesObject | undefined;

/**
 * The outermost controller of an object, by `ownerReferences` with `controller: true`: the Deployment of a Deployment's
 * pod, the CronJob of a CronJob's. The search ends at an owner that is not stored, so without ReplicaSets the result is
 * the ReplicaSet. Undefined for an object without a controller, and for a mirror pod, whose "controller" is its node.
 */
export function outermostController(
  references: readonly OwnerReference[],
  namespace: string,
  find: FindObject,
): Workload | undefined {
  let found: Workload | undefined;
  let next = controllerOf(references);
  for (let depth = 0; depth < MAX_OWNERS && next !== undefined && next.kind !== 'Node'; depth++) {
    found = { kind: next.kind, namespace, name: next.name };
    const owner = find(next.kind, namespace, next.name);
    next = owner === undefined ? undefined : controllerOf(owner.metadata.ownerReferences ?? []);
  }
  return found;
}

const controllerOf = (references: readonly OwnerReference[]): OwnerReference | undefined =>
  references.find((reference) => reference.controller === true);
