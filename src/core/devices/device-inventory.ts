import { CelUnsupported } from '../cel/errors.js';
import { compare } from '../json/compare.js';
import type {
  Device,
  DeviceAllocationResult,
  DeviceClass,
  DeviceTaint,
  DeviceTaintRule,
  ResourceClaim,
  ResourceSlice,
} from '../kubernetes/objects/dra.js';
import { DEFAULT_RULES } from '../kubernetes/kubernetes-rules.js';
import { deviceReads, type DeviceReads } from './allocator-features.js';
import { allocatedDevices, type AllocatedDevices } from './allocated-devices.js';
import { BoundedSelectors, NotComputed } from './allocation-work.js';
import { DeviceCounters } from './device-counters.js';
import { deviceIdText, poolIdText, type DeviceId } from './device-id.js';
import { wholePools, type Pool } from './device-pools.js';
import { preventingDeviceTaint } from './device-taints.js';
import { RuleSelectors } from './rule-taints.js';

/**
 * What a device can be had for. `outdated`: it is in a slice that a newer generation of its pool replaces. `incompletePool`: slices of the
 * pool are missing, so that nothing of it is allocated. `invalidPool`: the pool contradicts itself. `allocated`: a claim has it. `shared`:
 * claims have a share of it. `countersUsed`: it consumes more of its pool's counters than other devices leave. `gateOff`: it consumes counters
 * or has binding conditions, and the feature gate for that is off. `tainted`: only requests that tolerate its taints can have it. `unknown`: which claims there are is
 * not known.
 */
export const DEVICE_STATES = [
  'free',
  'allocated',
  'shared',
  'countersUsed',
  'gateOff',
  'tainted',
  'incompletePool',
  'invalidPool',
  'outdated',
  'unknown',
] as const;
export type DeviceState = (typeof DEVICE_STATES)[number];

/** A claim that has a device, or a share of it. */
export interface DeviceHolder {
  readonly claim: ResourceClaim;
  readonly result: DeviceAllocationResult;
}

export interface InventoryDevice extends DeviceId {
  readonly device: string;
  readonly object: Device;
  readonly slice: ResourceSlice;
  readonly state: DeviceState;
  /** Those of its slice, and of the rules that select it. */
  readonly taints: readonly { readonly taint: DeviceTaint; readonly rule: string | undefined }[];
  readonly holders: readonly DeviceHolder[];
}

export interface InventoryFilter {
  readonly node?: string;
  readonly driver?: string;
  readonly pool?: string;
  readonly state?: DeviceState;
}

export interface InventoryObjects {
  /** Undefined if they were never loaded. */
  readonly claims: readonly ResourceClaim[] | undefined;
  readonly slices: readonly ResourceSlice[];
  readonly classOf: (name: string) => DeviceClass | undefined;
  /** Empty while the feature gate DRADeviceTaintRules is off. */
  readonly taintRules: readonly DeviceTaintRule[];
  /** Which fields of the devices count; those of Kubernetes 1.36 by default. Taints are shown in any case. */
  readonly reads?: DeviceReads;
}

/** Devices looked at between two yields. */
const STRIDE = 256;

/**
 * The devices of a cluster that match a filter, by driver, pool, slice and their order in it. A generator, so that the caller can let other
 * work run in between; it yields nothing.
 */
export function* stepDeviceInventory(
  { claims, slices, classOf, taintRules, reads = deviceReads(DEFAULT_RULES) }: InventoryObjects,
  filter: InventoryFilter,
): Generator<undefined, readonly InventoryDevice[]> {
  const pools = wholePools(slices);
  const holders = claims === undefined ? undefined : holdersOf(claims);
  const inUse = allocatedDevices(new Map([...pools].map(([id, { pool }]) => [id, pool.number])), claims ?? []);
  const ruleSelectors = new RuleSelectors(classOf);
  /** A rule whose selectors cost too much, or are not evaluated here, counts no further. */
  const isTaintedBy = (rule: DeviceTaintRule, id: DeviceId, device: Device): boolean => {
    try {
      return ruleSelectors.select(rule, id, device);
    } catch (error) {
      if (error instanceof NotComputed) return false;
      throw error;
    }
  };
  yield undefined;
  const found: InventoryDevice[] = [];
  let looked = 0;
  for (const slice of [...slices].sort(inOrder)) {
    const { driver = '', pool: { name: pool = '', generation = 0 } = {}, nodeName, devices = [] } = slice.spec ?? {};
    if ((filter.driver ?? driver) !== driver || (filter.pool ?? pool) !== pool) continue;
    const ofPool = pools.get(poolIdText({ driver, pool }))!;
    const isCurrent = BigInt(generation) === ofPool.generation;
    for (const object of devices) {
      if (++looked % STRIDE === 0) yield undefined;
      if (filter.node !== undefined && (nodeName ?? object.nodeName) !== filter.node) continue;
      const id = { driver, pool, device: object.name };
      const taints = [
        ...(object.taints ?? []).map((taint) => ({ taint, rule: undefined })),
        ...taintRules
          .filter((rule) => isTaintedBy(rule, id, object))
          .map(({ metadata, spec }) => ({ taint: spec!.taint, rule: metadata.name })),
      ];
      const own = holders?.get(deviceIdText(id)) ?? [];
      const state = isCurrent
        ? stateOf(object, ofPool.pool, holders && own, { inUse, reads, taints: reads.taints ? taints : [] })
        : 'outdated';
      if (filter.state !== undefined && filter.state !== state) continue;
      found.push({ ...id, object, slice, state, taints, holders: own });
    }
  }
  return found;
}

const inOrder = (a: ResourceSlice, b: ResourceSlice): number =>
  compare(a.spec?.driver ?? '', b.spec?.driver ?? '') ||
  compare(a.spec?.pool?.name ?? '', b.spec?.pool?.name ?? '') ||
  compare(a.metadata.name, b.metadata.name);

function holdersOf(claims: readonly ResourceClaim[]): ReadonlyMap<string, readonly DeviceHolder[]> {
  const holders = new Map<string, DeviceHolder[]>();
  for (const claim of claims) {
    for (const result of claim.status?.allocation?.devices?.results ?? []) {
      const id = deviceIdText(result);
      const known = holders.get(id);
      if (known === undefined) holders.set(id, [{ claim, result }]);
      else known.push({ claim, result });
    }
  }
  return holders;
}

interface Circumstances {
  readonly inUse: AllocatedDevices;
  readonly reads: DeviceReads;
  readonly taints: InventoryDevice['taints'];
}

function stateOf(
  device: Device,
  pool: Pool,
  holders: readonly DeviceHolder[] | undefined,
  { inUse, reads, taints }: Circumstances,
): DeviceState {
  // With admin access a device is not in use.
  const using = (holders ?? []).filter(({ result }) => result.adminAccess !== true);
  if (using.some(({ result }) => result.shareID === undefined)) return 'allocated';
  if (using.length > 0) return 'shared';
  if (pool.state !== 'usable') return pool.state === 'incomplete' ? 'incompletePool' : 'invalidPool';
  const hasCounters = (device.consumesCounters ?? []).length > 0;
  const hasConditions = (device.bindingConditions ?? []).length > 0;
  const isUnread = (hasCounters && !reads.consumesCounters) || (hasConditions && !reads.bindingConditions);
  if (isUnread && reads.refusesUnread) return 'gateOff';
  if (holders === undefined) return 'unknown';
  if (hasCounters && reads.consumesCounters && !new DeviceCounters(inUse).consume(pool, device)) return 'countersUsed';
  const preventing = preventingDeviceTaint(
    taints.map(({ taint }) => taint),
    [],
  );
  return preventing === undefined ? 'free' : 'tainted';
}

/** Says which classes select devices, within the bounds of what one question may cost. */
export class ClassSelection {
  private readonly selectors: BoundedSelectors;

  /** @param knowsShares as for selectors */
  constructor(
    private readonly classes: readonly DeviceClass[],
    knowsShares = true,
  ) {
    this.selectors = new BoundedSelectors(knowsShares);
  }

  /** The names of the classes that select a device; undefined where that costs too much, or is not evaluated here. */
  of(device: InventoryDevice): readonly string[] | undefined {
    const names: string[] = [];
    for (const one of this.classes) {
      const isSelected = this.selects(one, device);
      if (isSelected === undefined) return undefined;
      if (isSelected) names.push(one.metadata.name);
    }
    return names;
  }

  /** A selector that cannot tell does not select. */
  selects({ spec }: DeviceClass, { driver, object }: InventoryDevice): boolean | undefined {
    try {
      return (spec?.selectors ?? []).every(({ cel }) => {
        const verdict = this.selectors.selects(cel?.expression ?? '', driver, object);
        return 'matches' in verdict && verdict.matches;
      });
    } catch (error) {
      if (error instanceof NotComputed || error instanceof CelUnsupported) return undefined;
      throw error;
    }
  }
}
