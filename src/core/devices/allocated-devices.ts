import type { DeviceAllocationResult, ResourceClaim } from '../kubernetes/objects/dra.js';
import { parseQuantity, type Quantity } from '../kubernetes/quantity.js';
import { poolIdText } from './device-id.js';

/** Amounts of a device's capacity by name. */
export type Amounts = Map<string, Quantity>;

/** What is in use of a pool, by the names of devices. Never changed: as long as nothing else is in use, it is the same object. */
export interface PoolUse {
  /** Devices that are taken as a whole, and by which claims. */
  readonly whole: ReadonlyMap<string, readonly ResourceClaim[]>;
  /** Devices that are shared, by what is consumed of each. */
  readonly consumed: ReadonlyMap<string, Amounts>;
  /** Devices that are shared, whether anything is consumed of them or not, and by which claims. */
  readonly shared: ReadonlyMap<string, readonly ResourceClaim[]>;
}

/** What is in use according to claims, by the number of the pool; undefined for pools of which nothing is. */
export type AllocatedDevices = readonly (PoolUse | undefined)[];

/** The numbers of pools that have slices, by `poolIdText`. */
export type PoolNumbers = ReadonlyMap<string, number>;

const NOTHING: PoolUse = { whole: new Map(), consumed: new Map(), shared: new Map() };

/**
 * The devices in `status.allocation` of claims, of all namespaces and whether reserved or not; those with admin access are not in use.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/dynamicresources/allocateddevices.go, `foreachAllocatedDevice`.
 */
export function allocatedDevices(numbers: PoolNumbers, claims: Iterable<ResourceClaim>): AllocatedDevices {
  return withAllocated(new Array<undefined>(numbers.size).fill(undefined), numbers, claims);
}

/** What is in use with more claims; what was in use stays as it is. */
export function withAllocated(
  before: AllocatedDevices,
  numbers: PoolNumbers,
  claims: Iterable<ResourceClaim>,
): AllocatedDevices {
  const edit = new UseEdit(before);
  for (const claim of claims) {
    for (const result of resultsOf(claim)) {
      const pool = numbers.get(poolIdText(result));
      if (pool !== undefined) edit.add(pool, result, claim);
    }
  }
  return edit.pools;
}

/** What is in use after claims have given devices back. The pools of these are counted anew. */
export function withoutAllocated(
  before: AllocatedDevices,
  numbers: PoolNumbers,
  former: readonly ResourceClaim[],
  claims: Iterable<ResourceClaim>,
): AllocatedDevices {
  const changed = new Set(former.flatMap((claim) => resultsOf(claim).map(poolIdText)));
  const edit = new UseEdit(before);
  for (const id of changed) edit.clear(numbers.get(id));
  for (const claim of claims) {
    for (const result of resultsOf(claim)) {
      const id = poolIdText(result);
      const pool = numbers.get(id);
      if (pool !== undefined && changed.has(id)) edit.add(pool, result, claim);
    }
  }
  return edit.pools;
}

const resultsOf = ({ status }: ResourceClaim): readonly DeviceAllocationResult[] =>
  status?.allocation?.devices?.results ?? [];

interface OwnUse extends PoolUse {
  readonly whole: Map<string, readonly ResourceClaim[]>;
  readonly consumed: Map<string, Amounts>;
  readonly shared: Map<string, readonly ResourceClaim[]>;
}

/** Copies what it changes, once. */
class UseEdit {
  readonly pools: (PoolUse | undefined)[];
  private readonly own = new Map<number, OwnUse>();

  constructor(before: AllocatedDevices) {
    this.pools = [...before];
  }

  clear(pool: number | undefined): void {
    if (pool !== undefined) this.pools[pool] = undefined;
  }

  add(
    pool: number,
    { device, adminAccess, shareID, consumedCapacity }: DeviceAllocationResult,
    claim: ResourceClaim,
  ): void {
    if (adminAccess === true) return;
    const { whole, consumed, shared } = this.ownUse(pool);
    if (shareID === undefined) {
      whole.set(device, [...(whole.get(device) ?? []), claim]);
      return;
    }
    shared.set(device, [...(shared.get(device) ?? []), claim]);
    if (consumedCapacity === undefined) return;
    const amounts: Amounts = new Map(consumed.get(device));
    for (const [name, amount] of Object.entries(consumedCapacity)) addAmount(amounts, name, parseQuantity(amount));
    consumed.set(device, amounts);
  }

  private ownUse(pool: number): OwnUse {
    let own = this.own.get(pool);
    if (own === undefined) {
      const { whole, consumed, shared } = this.pools[pool] ?? NOTHING;
      own = { whole: new Map(whole), consumed: new Map(consumed), shared: new Map(shared) };
      this.own.set(pool, own);
      this.pools[pool] = own;
    }
    return own;
  }
}

function addAmount(amounts: Amounts, name: string, amount: Quantity): void {
  amounts.set(name, amounts.get(name)?.add(amount) ?? amount);
}

/** `ConsumedCapacityCollection.Insert`, k8s.io/dynamic-resource-allocation v0.36.2, structured/schedulerapi/types.go. */
export function addConsumed(consumed: Map<number, Amounts>, device: number, amounts: Amounts): void {
  const known = consumed.get(device);
  if (known === undefined) {
    consumed.set(device, new Map(amounts));
    return;
  }
  for (const [name, amount] of amounts) addAmount(known, name, amount);
}

/** `ConsumedCapacityCollection.Remove`: a device of which nothing is consumed any more is forgotten. */
export function removeConsumed(consumed: Map<number, Amounts>, device: number, amounts: Amounts): void {
  const known = consumed.get(device);
  if (known === undefined) return;
  for (const [name, amount] of amounts) {
    const before = known.get(name);
    if (before !== undefined) known.set(name, before.sub(amount));
  }
  if ([...known.values()].every((amount) => amount.isZero())) consumed.delete(device);
}

/** `IsDeviceAllocated`, k8s.io/dynamic-resource-allocation v0.36.2, structured/internal/allocatedstate.go. */
export const isAllocated = ({ whole, consumed, shared }: PoolUse, device: string): boolean =>
  whole.has(device) || shared.has(device) || consumed.has(device);
