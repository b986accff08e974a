import { CelUnsupported } from '../cel/errors.js';
import type {
  DeviceClass,
  DeviceRequest,
  DeviceSelector,
  DeviceTaint,
  DeviceToleration,
  ExactDeviceRequest,
  ResourceClaim,
} from '../kubernetes/objects/dra.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { NodeSelector } from '../kubernetes/objects/selectors.js';
import { addConsumed, removeConsumed, type AllocatedDevices, type Amounts } from './allocated-devices.js';
import { TooMuchWork, type AllocationWork } from './allocation-work.js';
import { allocationNodeSelector } from './allocation-node-selector.js';
import { consumedCapacity, fitsCapacity } from './consumable-capacity.js';
import { constraintOf, type Constraint, type Pick } from './device-constraints.js';
import { DeviceCounters } from './device-counters.js';
import { poolIdText } from './device-id.js';
import type { Candidate, DevicePools, Pool } from './device-pools.js';
import type { KnownAllocations, PoolVersions } from './known-allocations.js';
import { MAX_NAMED_DEVICES, type DeviceShortage, type RefusedDevice } from './device-shortage.js';
import { preventingDeviceTaint } from './device-taints.js';

/** What the allocator works with; the same for all nodes. */
export interface AllocatorInput {
  readonly pools: DevicePools;
  readonly allocated: AllocatedDevices;
  readonly classOf: (name: string) => DeviceClass | undefined;
  /** Of the pod whose claims they are. */
  readonly work: AllocationWork;
  readonly known: KnownAllocations<Searched>;
  readonly versions: PoolVersions;
}

/** What a search found, without what depends on the claims' names. */
export type Searched = 'failed' | { readonly claims: readonly Omit<ClaimAllocation, 'claim'>[] };

/** A device that a claim would get. */
export interface AllocatedDevice {
  /** `request/subrequest` for a choice of several. */
  readonly request: string;
  readonly candidate: Candidate;
  readonly hasAdminAccess: boolean;
  /** Of devices that can be shared. */
  readonly consumed: Amounts | undefined;
  /** Those of the request. */
  readonly tolerations: readonly DeviceToleration[] | undefined;
}

/** What a claim would get. */
export interface ClaimAllocation {
  readonly claim: ResourceClaim;
  readonly devices: readonly AllocatedDevice[];
  /** Undefined if the devices can be used everywhere. */
  readonly nodeSelector: NodeSelector | undefined;
}

/** Whether all claims can be allocated on a node. */
export type Allocation =
  | { readonly outcome: 'allocated'; readonly claims: readonly ClaimAllocation[] }
  /** `invalidPool`: a pool that the node reaches contradicts itself. */
  | { readonly outcome: 'failed'; readonly invalidPool: boolean }
  /** Something is wrong with a claim, a class or a slice: the scheduling attempt ends. */
  | { readonly outcome: 'error'; readonly message: string }
  /** What is not computed here. */
  | { readonly outcome: 'unknown'; readonly why: string };

/** `resourceapi.AllocationResultsMaxSize`: the devices that a claim can have. */
const MAX_DEVICES = 32;
/** Requests that are looked at; each takes a level of the stack. The API server allows 32 for a claim. */
const MAX_REQUESTS = 1_000;

/** What `outcome: 'error'` is for. */
class AllocationFault extends Error {
  override readonly name = 'AllocationFault';
}

/**
 * Finds devices for claims on a node: the first that fit, in the order of the claims, of their requests, of the pools and of the devices,
 * going back where no device is left.
 *
 * Source: k8s.io/dynamic-resource-allocation v0.36.2, structured/internal/incubating/allocator_incubating.go, `Allocate`: the
 * implementation that serves the default feature gates.
 */
export function allocate(input: AllocatorInput, node: Node, claims: readonly ResourceClaim[]): Allocation {
  const pools = input.pools.of(node);
  if ('fault' in pools) return { outcome: 'error', message: `gather pool information: ${pools.fault}` };
  const { known, versions, work } = input;
  const allocation = (found: Searched): Allocation =>
    found === 'failed'
      ? { outcome: 'failed', invalidPool: pools.some(({ state }) => state === 'invalid') }
      : { outcome: 'allocated', claims: found.claims.map((one, index) => ({ ...one, claim: claims[index]! })) };
  try {
    const former = known.of(claims, node, pools, versions);
    if (former !== undefined) {
      work.count(former);
      return allocation(former.found);
    }
    const before = work.spent;
    const result = new Search(input, node, pools, claims).run();
    if (result === 'exceeded') return { outcome: 'error', message: 'allocation max size exceeded' };
    const found = result === 'failed' ? result : withNodeSelectors(result, node.metadata.name);
    if (found !== 'failed' && 'outcome' in found) return found;
    const { steps, cost } = work.spent;
    known.keep(claims, node, pools, versions, { found, steps: steps - before.steps, cost: cost - before.cost });
    return allocation(found);
  } catch (error) {
    if (error instanceof AllocationFault) return { outcome: 'error', message: error.message };
    if (error instanceof TooMuchWork) return { outcome: 'unknown', why: error.message };
    if (error instanceof CelUnsupported) return { outcome: 'unknown', why: `a selector uses ${error.what}` };
    throw error;
  }
}

/** Why claims cannot be allocated on a node; nothing where that cannot be told. */
export function shortagesOn(
  input: AllocatorInput,
  node: Node,
  claims: readonly ResourceClaim[],
): readonly DeviceShortage[] {
  const pools = input.pools.of(node);
  if ('fault' in pools) return [];
  try {
    return new Search(input, node, pools, claims).shortages();
  } catch (error) {
    if (error instanceof AllocationFault || error instanceof TooMuchWork || error instanceof CelUnsupported) return [];
    throw error;
  }
}

function withNodeSelectors(
  found: readonly Omit<ClaimAllocation, 'nodeSelector'>[],
  node: string,
): Extract<Allocation, { readonly outcome: 'error' }> | Exclude<Searched, 'failed'> {
  const claims: Omit<ClaimAllocation, 'claim'>[] = [];
  for (const { claim, devices } of found) {
    const nodes = allocationNodeSelector(
      devices.map(({ candidate }) => candidate),
      node,
    );
    if ('fault' in nodes) {
      return { outcome: 'error', message: `create NodeSelector for claim ${claim.metadata.name}: ${nodes.fault}` };
    }
    claims.push({ devices, nodeSelector: nodes.nodeSelector });
  }
  return { claims };
}

/** A request, or one of the alternatives of one. */
interface Wanted {
  readonly name: string;
  readonly parent: string | undefined;
  readonly spec: ExactDeviceRequest;
  readonly deviceClass: DeviceClass;
  /** How many devices it takes. */
  readonly count: number;
  /** The devices of a request for all. */
  readonly all: readonly Candidate[] | undefined;
}

interface WantedRequest {
  readonly alternatives: readonly Wanted[];
  /** Whether it is a list of alternatives, be it of one. */
  readonly isList: boolean;
}

interface WantedClaim {
  readonly claim: ResourceClaim;
  readonly requests: readonly WantedRequest[];
  readonly constraints: readonly Constraint[];
  readonly devices: AllocatedDevice[];
}

/** Which device comes next. */
interface Place {
  readonly claim: number;
  readonly request: number;
  readonly alternative: number;
  readonly device: number;
}

/** `exceeded`: only more devices than a claim can have would do. */
type Found = 'done' | 'failed' | 'exceeded';

const COUNTED = {
  InUse: 'inUse',
  Tainted: 'tainted',
  Capacity: 'capacity',
  Combination: 'combination',
} as const;

export const claimText = ({ metadata }: ResourceClaim): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** One search for the devices of some claims on one node. */
class Search {
  private readonly claims: readonly WantedClaim[];
  private readonly candidates: readonly Candidate[];
  private readonly counters: DeviceCounters;
  /** By device, the claims for which it is taken as a whole. */
  private readonly taken = new Map<string, Set<number>>();
  /** By device, what is consumed of those that are shared. */
  private readonly consumed = new Map<string, Amounts>();
  /** Whether a device is what a request selects. */
  private readonly selected = new Map<ExactDeviceRequest, Map<Candidate, boolean>>();

  constructor(
    private readonly input: AllocatorInput,
    private readonly node: Node,
    private readonly pools: readonly Pool[],
    claims: readonly ResourceClaim[],
  ) {
    const requests = claims.reduce((sum, { spec }) => sum + (spec?.devices?.requests ?? []).length, claims.length);
    if (requests > MAX_REQUESTS) throw new TooMuchWork(`there are more than ${MAX_REQUESTS} requests for devices`);
    input.work.beginNode();
    this.counters = new DeviceCounters(input.allocated);
    this.candidates = pools.flatMap(({ candidates }) => candidates);
    this.claims = claims.map((claim) => this.wantedClaim(claim));
  }

  run(): readonly Omit<ClaimAllocation, 'nodeSelector'>[] | 'failed' | 'exceeded' {
    const found = this.next({ claim: 0, request: 0, alternative: 0, device: 0 }, false, 0);
    return found === 'done' ? this.claims : found;
  }

  /** What each request lacks by itself; or, if each could be met alone, what they all select. */
  shortages(): readonly DeviceShortage[] {
    const all = this.claims.flatMap((claim, index) =>
      claim.requests.flatMap(({ alternatives }) =>
        alternatives.map((wanted) => ({ wanted, shortage: this.shortageOf(claim.claim, index, wanted) })),
      ),
    );
    const lacking = all.filter(({ wanted, shortage }) => {
      const usable = shortage.selected - shortage.refused;
      return wanted.all === undefined ? usable < wanted.count : shortage.refused > 0 || usable === 0;
    });
    return (lacking.length > 0 ? lacking : all).map(({ shortage }) => shortage);
  }

  private shortageOf(claim: ResourceClaim, index: number, wanted: Wanted): DeviceShortage {
    const { name, parent, count, all } = wanted;
    const selected = all ?? this.candidates.filter((candidate) => this.isSelected(claim, wanted, candidate));
    const devices: RefusedDevice[] = [];
    const counts = { inUse: 0, tainted: 0, capacity: 0, combination: 0 };
    const taints = new Map<string, { taint: DeviceTaint; devices: number; tolerated: boolean }>();
    for (const candidate of selected) {
      const device = this.refusal(wanted, candidate, index);
      counts[COUNTED[device.because]] += 1;
      if (devices.length < MAX_NAMED_DEVICES) devices.push(device);
      for (const taint of candidate.device.taints ?? []) {
        if (preventingDeviceTaint([taint], []) === undefined) continue;
        const id = JSON.stringify([taint.key, taint.value ?? '', taint.effect]);
        const known = taints.get(id);
        if (known !== undefined) known.devices += 1;
        else if (taints.size < MAX_NAMED_DEVICES) {
          const tolerated = preventingDeviceTaint([taint], wanted.spec.tolerations ?? []) === undefined;
          taints.set(id, { taint, devices: 1, tolerated });
        }
      }
    }
    const poolsThatAre = (wantedState: Pool['state']): readonly string[] =>
      this.pools
        .filter(({ state }) => state === wantedState)
        .slice(0, MAX_NAMED_DEVICES)
        .map(({ driver, name: pool }) => poolIdText({ driver, pool }));
    return {
      claim: claimText(claim),
      request: parent === undefined ? name : `${parent}/${name}`,
      wanted: all === undefined ? count : undefined,
      selected: selected.length,
      devices,
      refused: counts.inUse + counts.tainted + counts.capacity,
      counts,
      notSelected: this.candidates.length - selected.length,
      taints: [...taints.values()],
      incompletePools: poolsThatAre('incomplete'),
      invalidPools: poolsThatAre('invalid'),
    };
  }

  private refusal(wanted: Wanted, candidate: Candidate, claim: number): RefusedDevice {
    const { id, device } = candidate;
    const { spec } = wanted;
    if (!this.isFree(wanted, candidate, claim)) {
      const holder = this.input.allocated.whole.get(id)?.[0];
      return { device: id, because: 'InUse', ...(holder && { claim: claimText(holder) }) };
    }
    const taint = preventingDeviceTaint(device.taints ?? [], spec.tolerations ?? []);
    if (taint !== undefined) return { device: id, because: 'Tainted', taint };
    return { device: id, because: this.hasCapacity(spec, candidate) ? 'Combination' : 'Capacity' };
  }

  private wantedClaim(claim: ResourceClaim): WantedClaim {
    const { requests = [], constraints = [] } = claim.spec?.devices ?? {};
    const wanted = requests.map((request) => this.wantedRequest(claim, request));
    const least = wanted.reduce(
      (sum, { alternatives }) => sum + Math.min(...alternatives.map(({ count }) => count)),
      0,
    );
    if (least > MAX_DEVICES) {
      throw new AllocationFault(
        `claim ${claimText(claim)}: number of requested devices ${least} exceeds the claim limit of ${MAX_DEVICES}`,
      );
    }
    return {
      claim,
      requests: wanted,
      constraints: constraints.map((one, index) => {
        const constraint = constraintOf(one);
        if (constraint !== undefined) return constraint;
        const what = 'empty constraint (unsupported constraint type?)';
        throw new AllocationFault(`claim ${claimText(claim)}, constraint #${index}: ${what}`);
      }),
      devices: [],
    };
  }

  private wantedRequest(claim: ResourceClaim, { name, exactly, firstAvailable = [] }: DeviceRequest): WantedRequest {
    if (firstAvailable.length > 0) {
      return { isList: true, alternatives: firstAvailable.map((one) => this.wanted(claim, one.name, name, one)) };
    }
    const spec = exactly ?? { deviceClassName: '' };
    return { isList: false, alternatives: [this.wanted(claim, name, undefined, spec)] };
  }

  /** `validateDeviceRequest`. */
  private wanted(claim: ResourceClaim, name: string, parent: string | undefined, spec: ExactDeviceRequest): Wanted {
    const refused = (why: string): AllocationFault =>
      new AllocationFault(`claim ${claimText(claim)}, request ${name}${why}`);
    const empty = (spec.selectors ?? []).findIndex(({ cel }) => cel === undefined);
    if (empty !== -1) throw refused(`, selector #${empty}: CEL expression empty (unsupported selector type?)`);
    const { deviceClassName, allocationMode = '' } = spec;
    if (deviceClassName === '') throw refused(': missing device class name (unsupported request type?)');
    const deviceClass = this.input.classOf(deviceClassName);
    if (deviceClass === undefined) {
      const missing = `deviceclass.resource.k8s.io "${deviceClassName}" not found`;
      throw refused(`: could not retrieve device class ${deviceClassName}: ${missing}`);
    }
    const wanted = { name, parent, spec, deviceClass };
    if (allocationMode === 'ExactCount') return { ...wanted, count: Number(spec.count ?? 0), all: undefined };
    if (allocationMode !== 'All') throw refused(`: unsupported count mode ${allocationMode}`);
    const all: Candidate[] = [];
    for (const pool of this.pools) {
      if (pool.state !== 'usable') {
        const what = pool.state === 'incomplete' ? 'being updated' : 'invalid';
        const id = poolIdText({ driver: pool.driver, pool: pool.name });
        throw refused(`: asks for all devices, but resource pool ${id} is currently ${what}`);
      }
      for (const candidate of pool.candidates) {
        if (this.isSelected(claim, wanted, candidate) && this.hasCapacity(spec, candidate)) all.push(candidate);
      }
    }
    return { ...wanted, count: all.length, all };
  }

  /**
   * `allocateOne`: finds a device for a place, and then those for all places after it.
   *
   * @param isChosen whether an alternative of the request has been chosen
   * @param from the first candidate; devices of one request are taken in their order
   */
  private next(place: Place, isChosen: boolean, from: number): Found {
    const { claim: claimIndex, request: requestIndex } = place;
    const claim = this.claims[claimIndex];
    if (claim === undefined) return 'done';
    const request = claim.requests[requestIndex];
    if (request === undefined) {
      const found = this.next({ claim: claimIndex + 1, request: 0, alternative: 0, device: 0 }, false, 0);
      // An earlier claim with alternatives may leave other devices to this one.
      return found === 'exceeded' ? 'failed' : found;
    }
    if (request.isList && !isChosen) return this.firstAvailable(place, request);
    const wanted = request.alternatives[place.alternative]!;
    if (wanted.all?.length === 0) return 'failed';
    if (place.device >= wanted.count) {
      return this.next({ claim: claimIndex, request: requestIndex + 1, alternative: 0, device: 0 }, false, 0);
    }
    if (claim.devices.length + wanted.count - place.device > MAX_DEVICES) return 'exceeded';
    const after = { ...place, device: place.device + 1 };
    if (wanted.all !== undefined) {
      const undo = this.take(place, wanted, wanted.all[place.device]!);
      return undo === undefined ? 'failed' : this.goOn(undo, after, isChosen, 0);
    }
    for (let index = from; index < this.candidates.length; index += 1) {
      const candidate = this.candidates[index]!;
      if (!this.isFree(wanted, candidate, claimIndex)) continue;
      if (!this.isSelected(claim.claim, wanted, candidate) || !this.hasCapacity(wanted.spec, candidate)) continue;
      const undo = this.take(place, wanted, candidate);
      if (undo === undefined) continue;
      const found = this.goOn(undo, after, isChosen, index + 1);
      if (found !== 'failed') return found;
    }
    return 'failed';
  }

  private goOn(undo: () => void, place: Place, isChosen: boolean, from: number): Found {
    const found = this.next(place, isChosen, from);
    if (found !== 'done') undo();
    return found;
  }

  private firstAvailable(place: Place, { alternatives }: WantedRequest): Found {
    let areAllExceeded = true;
    for (const alternative of alternatives.keys()) {
      const found = this.next({ ...place, alternative }, true, 0);
      if (found === 'done') return 'done';
      if (found === 'failed') areAllExceeded = false;
    }
    return areAllExceeded ? 'exceeded' : 'failed';
  }

  /** With admin access, a device may be in use, but not by the same claim. */
  private isFree({ spec }: Wanted, { id }: Candidate, claim: number): boolean {
    this.input.work.step();
    const taken = this.taken.get(id);
    if (spec.adminAccess === true) return taken?.has(claim) !== true;
    return !this.input.allocated.whole.has(id) && (taken === undefined || taken.size === 0);
  }

  /** `isSelectable`: what the class selects, then what the request selects, on this node. */
  private isSelected(claim: ResourceClaim, wanted: Omit<Wanted, 'count' | 'all'>, candidate: Candidate): boolean {
    const known = this.selected.get(wanted.spec) ?? new Map<Candidate, boolean>();
    this.selected.set(wanted.spec, known);
    let isSelected = known.get(candidate);
    if (isSelected === undefined) known.set(candidate, (isSelected = this.select(claim, wanted, candidate)));
    return isSelected;
  }

  private select(
    claim: ResourceClaim,
    { spec, deviceClass }: Omit<Wanted, 'count' | 'all'>,
    candidate: Candidate,
  ): boolean {
    const { device, slice } = candidate;
    const { selectors = [] } = deviceClass.spec ?? {};
    if (!this.matchesAll(selectors, candidate, `class ${deviceClass.metadata.name}`)) return false;
    if (!this.matchesAll(spec.selectors ?? [], candidate, `claim ${claimText(claim)}`)) return false;
    if (slice.spec?.perDeviceNodeSelection !== true) return true;
    const matches = this.input.pools.matches(device, this.node);
    if (typeof matches !== 'boolean') throw new AllocationFault(matches.fault);
    return matches;
  }

  /** @throws {AllocationFault} for a selector that cannot tell, unless one before it does not match */
  private matchesAll(selectors: readonly DeviceSelector[], { device, pool }: Candidate, owner: string): boolean {
    return selectors.every(({ cel }, index) => {
      const verdict = this.input.work.selects(cel?.expression ?? '', pool.driver, device);
      if ('matches' in verdict) return verdict.matches;
      throw new AllocationFault(`${owner}: selector #${index}: CEL ${verdict.fault} error: ${verdict.message}`);
    });
  }

  private hasCapacity({ capacity }: ExactDeviceRequest, { device, id }: Candidate): boolean {
    return fitsCapacity(capacity?.requests, device, [this.input.allocated.consumed.get(id), this.consumed.get(id)]);
  }

  /**
   * `allocateDevice`: takes a device if it is free and tolerated, and if counters, constraints and capacity allow it. Like upstream, a
   * device that is refused after its counters were consumed keeps them.
   *
   * @returns what undoes it, or undefined if the device cannot be had
   */
  private take(place: Place, wanted: Wanted, candidate: Candidate): (() => void) | undefined {
    const { id, device, pool } = candidate;
    const { claim, constraints, devices } = this.claims[place.claim]!;
    const { spec, name, parent } = wanted;
    const isShared = device.allowMultipleAllocations === true;
    if (!(isShared && spec.adminAccess === true) && !this.isFree(wanted, candidate, place.claim)) return undefined;

    const hasCounters = (device.consumesCounters ?? []).length > 0;
    const isInUse = this.input.allocated.consumed.has(id) || this.consumed.has(id);
    if (hasCounters && !(isShared && isInUse) && !this.counters.consume(pool, device)) return undefined;

    if (preventingDeviceTaint(device.taints ?? [], spec.tolerations ?? []) !== undefined) return undefined;

    const pick: Pick = {
      driver: pool.driver,
      device,
      request: parent ?? name,
      ...(parent !== undefined && { subrequest: name }),
    };
    for (const [index, constraint] of constraints.entries()) {
      if (constraint.add(pick)) continue;
      if (wanted.all !== undefined) {
        const why = 'because a claim constraint would not be satisfied';
        throw new AllocationFault(`claim ${claimText(claim)}, request ${name}: cannot add device ${id} ${why}`);
      }
      for (const added of constraints.slice(0, index)) added.remove(pick);
      return undefined;
    }

    const takers = this.taken.get(id) ?? new Set<number>();
    this.taken.set(id, takers);
    if (!isShared) takers.add(place.claim);
    if (!this.hasCapacity(spec, candidate)) return undefined;
    const consumed = isShared ? consumedCapacity(spec.capacity?.requests, device) : undefined;
    if (consumed !== undefined) addConsumed(this.consumed, id, consumed);
    devices.push({
      request: parent === undefined ? name : `${parent}/${name}`,
      candidate,
      hasAdminAccess: spec.adminAccess === true,
      consumed: consumed === undefined || consumed.size === 0 ? undefined : consumed,
      tolerations: spec.tolerations,
    });
    const length = devices.length;

    return () => {
      for (const constraint of constraints) constraint.remove(pick);
      takers.delete(place.claim);
      if (!isShared && hasCounters) this.counters.release(pool, device);
      // The counters of a device that can be shared stay consumed, and it counts as in use if it has no capacity.
      if (consumed !== undefined && consumed.size > 0) removeConsumed(this.consumed, id, consumed);
      devices.length = length - 1;
    };
  }
}
