import type { KubernetesObject, OwnerReference } from '../kubernetes/objects/meta.js';
import type { Workload } from './pod-table.js';

/** Longer chains than pod, Job, CronJob and whatever made that are not followed, so that a loop ends. */
const MAX_OWNERS = 8;

/** Finds a stored object. */
export type FindObject = (kind: string, namespace: string, name: string) => KubernetesObject | undefined;

/**
 * The outermost controller of an object, by `ownerReferences` with `controller: true`: of a Deployment's pod the
 * Deployment, of a CronJob's the CronJob. The walk ends where an owner is not stored, so without ReplicaSets the answer
 * is the ReplicaSet. Undefined for an object that nothing controls, and for a mirror pod, which its node "controls".
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
