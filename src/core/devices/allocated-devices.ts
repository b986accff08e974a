import type { ResourceClaim } from '../kubernetes/objects/dra.js';
import { parseQuantity, type Quantity } from '../kubernetes/quantity.js';
import { deviceIdText } from './device-id.js';

/** Amounts of a device's capacity by name. */
export type Amounts = Map<string, Quantity>;

/** What is in use according to claims; keyed by `deviceIdText`. */
export interface AllocatedDevices {
  /** Devices that are taken as a whole, and by which claims. */
  readonly whole: ReadonlyMap<string, readonly ResourceClaim[]>;
  /** Devices that are shared, by what is consumed of each. */
  readonly consumed: ReadonlyMap<string, Amounts>;
  /** Devices that are shared, whether anything is consumed of them or not. */
  readonly shared: ReadonlySet<string>;
}

/**
 * The devices in `status.allocation` of claims, of all namespaces and whether reserved or not; those with admin access are not in use.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/dynamicresources/allocateddevices.go, `foreachAllocatedDevice`.
 */
export function allocatedDevices(claims: Iterable<ResourceClaim>): AllocatedDevices {
  return withAllocated({ whole: new Map(), consumed: new Map(), shared: new Set() }, claims);
}

/** What is in use with more claims; what was in use stays as it is. */
export function withAllocated(before: AllocatedDevices, claims: Iterable<ResourceClaim>): AllocatedDevices {
  const whole = new Map(before.whole);
  const consumed = new Map(before.consumed);
  const shared = new Set(before.shared);
  for (const claim of claims) {
    for (const result of claim.status?.allocation?.devices?.results ?? []) {
      if (result.adminAccess === true) continue;
      const id = deviceIdText(result);
      if (result.shareID === undefined) {
        whole.set(id, [...(whole.get(id) ?? []), claim]);
        continue;
      }
      shared.add(id);
      if (result.consumedCapacity === undefined) continue;
      const amounts = Object.entries(result.consumedCapacity).map(
        ([name, amount]) => [name, parseQuantity(amount)] as const,
      );
      const own = consumed.get(id);
      if (own !== undefined) consumed.set(id, new Map(own));
      addConsumed(consumed, id, new Map(amounts));
    }
  }
  return { whole, consumed, shared };
}

/** `ConsumedCapacityCollection.Insert`, k8s.io/dynamic-resource-allocation v0.36.2, structured/schedulerapi/types.go. */
export function addConsumed(consumed: Map<string, Amounts>, device: string, amounts: Amounts): void {
  const known = consumed.get(device);
  if (known === undefined) {
    consumed.set(device, new Map(amounts));
    return;
  }
  for (const [name, amount] of amounts) known.set(name, known.get(name)?.add(amount) ?? amount);
}

/** `ConsumedCapacityCollection.Remove`: a device of which nothing is consumed any more is forgotten. */
export function removeConsumed(consumed: Map<string, Amounts>, device: string, amounts: Amounts): void {
  const known = consumed.get(device);
  if (known === undefined) return;
  for (const [name, amount] of amounts) {
    const before = known.get(name);
    if (before !== undefined) known.set(name, before.sub(amount));
  }
  if ([...known.values()].every((amount) => amount.isZero())) consumed.delete(device);
}

/** `IsDeviceAllocated`, k8s.io/dynamic-resource-allocation v0.36.2, structured/internal/allocatedstate.go. */
export const isAllocated = ({ whole, consumed, shared }: AllocatedDevices, device: string): boolean =>
  whole.has(device) || shared.has(device) || consumed.has(device);
