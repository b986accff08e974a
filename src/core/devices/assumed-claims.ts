import { defined } from '../collections/defined.js';
import { controllerOf } from '../kubernetes/controller-of.js';
import type { DeviceAllocationResult, ResourceClaim } from '../kubernetes/objects/dra.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { AllocatedDevice, ClaimAllocation } from './device-allocator.js';
import type { RequestMapping } from './extended-resources.js';

/** What is written when the scheduler puts a pod on a node. */
export interface AssumedClaims {
  /** The pod's claims as they are then, allocated and reserved. */
  readonly claims: readonly ResourceClaim[];
  /** What the claims get that were not allocated. */
  readonly allocations: readonly ClaimAllocation[];
  /** The pod, whose status names the claims that were made for it. */
  readonly pod: Pod;
}

/**
 * A claim with its allocation. The time of it is left out: devices that have to get ready have time for that. The IDs of shares, which
 * upstream draws at random, count up.
 *
 * Source: k8s.io/dynamic-resource-allocation v0.36.2, structured/internal/incubating/allocator_incubating.go, `Allocate`.
 */
export function allocated({ claim, devices, nodeSelector }: ClaimAllocation): ResourceClaim {
  const results = devices.map((device, index) => resultOf(device, `${claim.metadata.name}-${index}`));
  return { ...claim, status: { ...claim.status, allocation: { devices: { results }, ...defined({ nodeSelector }) } } };
}

function resultOf(
  { request, candidate, hasAdminAccess, consumed, tolerations }: AllocatedDevice,
  shareID: string,
): DeviceAllocationResult {
  const { device, pool } = candidate;
  const { bindingConditions, bindingFailureConditions, allowMultipleAllocations } = device;
  return {
    request,
    driver: pool.driver,
    pool: pool.name,
    device: device.name,
    ...(hasAdminAccess && { adminAccess: true }),
    ...defined({ tolerations, bindingConditions, bindingFailureConditions }),
    ...(allowMultipleAllocations === true && { shareID }),
    ...(consumed !== undefined && {
      consumedCapacity: Object.fromEntries([...consumed].map(([name, amount]) => [name, amount.toString()])),
    }),
  };
}

/** A claim that is reserved for a pod, too (`bindClaim`). */
export function reservedFor(claim: ResourceClaim, { metadata: { name, uid = '' } }: Pod): ResourceClaim {
  const users = claim.status?.reservedFor ?? [];
  if (users.some((user) => user.uid === uid && user.name === name)) return claim;
  return { ...claim, status: { ...claim.status, reservedFor: [...users, { resource: 'pods', name, uid }] } };
}

/** The pod with the claims in its status that were made for it. */
export function withClaimStatus(
  pod: Pod,
  made: ReadonlyMap<string, ResourceClaim>,
  extended: { readonly claim: ResourceClaim; readonly mappings: readonly RequestMapping[] } | undefined,
): Pod {
  if (made.size === 0 && extended === undefined) return pod;
  const statuses = [...made].map(([name, { metadata }]) => ({ name, resourceClaimName: metadata.name }));
  return {
    ...pod,
    status: {
      ...pod.status,
      ...(made.size > 0 && { resourceClaimStatuses: [...(pod.status?.resourceClaimStatuses ?? []), ...statuses] }),
      ...(extended && {
        extendedResourceClaimStatus: {
          resourceClaimName: extended.claim.metadata.name,
          requestMappings: extended.mappings,
        },
      }),
    },
  };
}

/** What becomes of claims when a pod that uses them is gone. */
export interface ReleasedClaims {
  readonly changed: readonly ResourceClaim[];
  readonly deleted: readonly ResourceClaim[];
}

/**
 * A claim that was made for the pod is deleted with it; another one is free for the pod's place, and loses its allocation if nobody else
 * has reserved it; then it goes, too, if it is being deleted.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/resourceclaim/controller.go, `syncClaim`.
 *
 * @param claims the pod's
 */
export function releasedClaims(claims: readonly ResourceClaim[], { metadata }: Pod): ReleasedClaims {
  const changed: ResourceClaim[] = [];
  const deleted: ResourceClaim[] = [];
  for (const claim of claims) {
    const owner = controllerOf(claim.metadata.ownerReferences);
    if (owner !== undefined && owner.name === metadata.name && owner.uid === metadata.uid) {
      deleted.push(claim);
      continue;
    }
    const { reservedFor: users = [], ...status } = claim.status ?? {};
    const left = users.filter(({ name, uid }) => name !== metadata.name || uid !== (metadata.uid ?? ''));
    if (left.length === users.length) continue;
    if (left.length === 0 && claim.metadata.deletionTimestamp !== undefined) {
      deleted.push(claim);
      continue;
    }
    const { allocation, ...rest } = status;
    changed.push({
      ...claim,
      status: left.length > 0 ? { ...rest, ...defined({ allocation }), reservedFor: left } : rest,
    });
  }
  return { changed, deleted };
}
