import { CelUnsupported } from '../cel/errors.js';
import { defined } from '../collections/defined.js';
import type {
  Device,
  DeviceClass,
  DeviceRequest,
  DeviceSelector,
  DeviceToleration,
  ExactDeviceRequest,
  ResourceClaim,
} from '../kubernetes/objects/dra.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { NodeSelector } from '../kubernetes/objects/selectors.js';
import { addConsumed, removeConsumed, type AllocatedDevices, type Amounts, type PoolUse } from './allocated-devices.js';
import { AllocationWork, NotComputed, TooMuchWork, type PodSelector } from './allocation-work.js';
import { allocationNodeSelector } from './allocation-node-selector.js';
import { consumedCapacity, fitsCapacity } from './consumable-capacity.js';
import { constraintOf, type Constraint, type Pick } from './device-constraints.js';
import { DeviceCounters } from './device-counters.js';
import { candidateText, type Candidate, type DevicePools, type NodePools, type Pool } from './device-pools.js';
import type { AllocatorFeatures } from './allocator-features.js';
import type { AllocationsOfKind, KnownAllocations } from './known-allocations.js';
import {
  MAX_NAMED_DEVICES,
  type AllocationObstacle,
  type CountedDeviceTaint,
  type DeviceShortage,
  type RefusedDevice,
} from './device-shortage.js';
import { plainTaint, ruleOf } from './rule-taints.js';
import { preventingDeviceTaint } from './device-taints.js';

/** What the allocator works with; the same for all nodes. */
export interface AllocatorInput {
  readonly pools: DevicePools;
  readonly allocated: AllocatedDevices;
  readonly classOf: (name: string) => DeviceClass | undefined;
  readonly features: AllocatorFeatures;
  /** Why it is not known what devices there are. */
  readonly unknown: string | undefined;
  /** Of the pod whose claims they are. */
  readonly work: AllocationWork;
  readonly known: KnownAllocations<Searched>;
}

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
  | { readonly outcome: 'allocated'; readonly claims: readonly Omit<ClaimAllocation, 'claim'>[] }
  /** `invalidPool`: a pool that the node reaches contradicts itself. */
  | { readonly outcome: 'failed'; readonly invalidPool: boolean }
  /** Something is wrong with a claim, a class or a slice: the scheduling attempt ends. */
  | { readonly outcome: 'error'; readonly message: string }
  /** What is not computed here. */
  | { readonly outcome: 'unknown'; readonly why: string };

/** What a search found, which holds for all claims with the same specs. */
export type Searched = Extract<Allocation, { readonly outcome: 'allocated' | 'failed' }>;

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
export class ClaimAllocator {
  private readonly known: AllocationsOfKind<Searched>;
  /** By the number of the node. */
  private readonly answers: (Allocation | undefined)[] = [];
  private readonly wanted: WantedRequests;

  /** @param claims not allocated */
  constructor(
    private readonly input: AllocatorInput,
    readonly claims: readonly ResourceClaim[],
  ) {
    this.known = input.known.of(claims);
    this.wanted = new WantedRequests(input);
  }

  on(node: Node): Allocation {
    const { unknown } = this.input;
    if (unknown !== undefined) return { outcome: 'unknown', why: unknown };
    const reached = this.input.pools.of(node);
    if ('fault' in reached) return { outcome: 'error', message: `gather pool information: ${reached.fault}` };
    const known = this.answers[reached.index];
    if (known !== undefined) return known;
    return (this.answers[reached.index] = this.find(node, reached));
  }

  /** Why the claims cannot be allocated on a node; nothing where that cannot be told. */
  shortagesOn(node: Node): readonly DeviceShortage[] {
    const reached = this.input.pools.of(node);
    if ('fault' in reached || this.input.unknown !== undefined) return [];
    try {
      const { shortages, isOfAll } = new Search(this.input, this.wanted, node, reached, this.claims).shortages();
      const obstacles = isOfAll ? this.obstaclesOn(node, reached) : [];
      if (obstacles.length === 0) return shortages;
      return shortages.map((one) => ({
        ...one,
        obstacles: obstacles.filter(({ claim = one.claim }) => claim === one.claim),
      }));
    } catch (error) {
      if (isOutcome(error)) return [];
      throw error;
    }
  }

  /** The constraints and counter sets without one of which the claims could be allocated on a node. */
  private obstaclesOn(node: Node, reached: NodePools): readonly AllocationObstacle[] {
    const work = new AllocationWork(this.input.pools.columns, MOST_STEPS_FOR_OBSTACLES);
    const input = { ...this.input, work };
    const wanted = new WantedRequests(input);
    const search = (claims: readonly ResourceClaim[], asksCounters: boolean): Search =>
      new Search(input, wanted, node, reached, claims, asksCounters);
    const found: AllocationObstacle[] = [];
    try {
      const counters = search(this.claims, false).setsInTheWay();
      found.push(...counters);
      for (const claim of this.claims) {
        const { constraints = [] } = claim.spec?.devices ?? {};
        for (const constraint of constraints) {
          const { matchAttribute, distinctAttribute } = constraint;
          const without = withConstraints(
            claim,
            constraints.filter((one) => one !== constraint),
          );
          const claims = this.claims.map((one) => (one === claim ? without : one));
          if (typeof search(claims, true).run() === 'string') continue;
          const kind = matchAttribute === undefined ? 'DistinctAttribute' : 'MatchAttribute';
          found.push({ kind, name: matchAttribute ?? distinctAttribute ?? '', claim: claimText(claim) });
        }
      }
    } catch (error) {
      if (!isOutcome(error)) throw error;
    }
    return found;
  }

  private find(node: Node, reached: NodePools): Allocation {
    const { allocated, work } = this.input;
    try {
      const former = this.known.of(reached, allocated);
      if (former !== undefined) {
        work.count(former);
        return former.found;
      }
      const before = work.spent;
      const result = new Search(this.input, this.wanted, node, reached, this.claims).run();
      if (result === 'exceeded') return { outcome: 'error', message: 'allocation max size exceeded' };
      const found =
        result === 'failed'
          ? FAILED[reached.areInvalid ? 'invalid' : 'valid']
          : withNodeSelectors(result, node.metadata.name);
      if (found.outcome === 'error') return found;
      const { steps, cost } = work.spent;
      this.known.keep(reached, allocated, { found, steps: steps - before.steps, cost: cost - before.cost });
      return found;
    } catch (error) {
      if (error instanceof AllocationFault) return { outcome: 'error', message: error.message };
      if (error instanceof NotComputed) return { outcome: 'unknown', why: error.message };
      if (error instanceof CelUnsupported) return { outcome: 'unknown', why: `a selector uses ${error.what}` };
      throw error;
    }
  }
}

/** Devices that are tried to find what is in the way on one node. */
const MOST_STEPS_FOR_OBSTACLES = 20_000;

type Constraints = NonNullable<NonNullable<ResourceClaim['spec']>['devices']>['constraints'];

const withConstraints = (claim: ResourceClaim, constraints: NonNullable<Constraints>): ResourceClaim => ({
  ...claim,
  spec: { ...claim.spec, devices: { ...claim.spec?.devices, constraints } },
});

const FAILED = {
  invalid: { outcome: 'failed', invalidPool: true },
  valid: { outcome: 'failed', invalidPool: false },
} as const;

const isOutcome = (error: unknown): boolean =>
  error instanceof AllocationFault || error instanceof NotComputed || error instanceof CelUnsupported;

function withNodeSelectors(
  found: readonly Omit<ClaimAllocation, 'nodeSelector'>[],
  node: string,
): Extract<Allocation, { readonly outcome: 'allocated' | 'error' }> {
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
  return { outcome: 'allocated', claims };
}

/** A request, or one of the alternatives of one. */
interface Wanted {
  readonly name: string;
  readonly parent: string | undefined;
  readonly spec: ExactDeviceRequest;
  /** What an allocation calls it. */
  readonly label: string;
  readonly selectors: readonly OwnedSelector[];
  /** How many devices it takes. */
  readonly count: number;
  /** The devices of a request for all. */
  readonly all: readonly Candidate[] | undefined;
}

/** A selector of a class or a request, as faults name it. */
interface OwnedSelector {
  readonly selector: PodSelector;
  readonly owner: string;
  readonly index: number;
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

/** `exceeded`: only more devices than a claim can have would do. */
type Found = 'done' | 'failed' | 'exceeded';

const COUNTED = {
  InUse: 'inUse',
  Tainted: 'tainted',
  Capacity: 'capacity',
  GateOff: 'gateOff',
  Combination: 'combination',
} as const;

export const claimText = ({ metadata }: ResourceClaim): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** The requests of claims, as far as they are the same on every node. */
class WantedRequests {
  private readonly ofClaims = new Map<ResourceClaim, readonly WantedRequest[]>();
  private readonly known = new Map<ResourceClaim, Map<ExactDeviceRequest, Wanted>>();

  constructor(private readonly input: AllocatorInput) {}

  /** All of a claim; undefined unless they have been kept. */
  of(claim: ResourceClaim): readonly WantedRequest[] | undefined {
    return this.ofClaims.get(claim);
  }

  /** Keeps the requests of a claim, unless one is for all devices, which differ from node to node. */
  keep(claim: ResourceClaim, requests: readonly WantedRequest[]): void {
    const areSame = requests.every(({ alternatives }) => alternatives.every(({ all }) => all === undefined));
    if (areSame) this.ofClaims.set(claim, requests);
  }

  /**
   * `validateDeviceRequest`, without the devices of a request for all.
   *
   * @throws {AllocationFault}
   */
  one(claim: ResourceClaim, name: string, parent: string | undefined, spec: ExactDeviceRequest): Wanted {
    const known = this.known.get(claim) ?? new Map<ExactDeviceRequest, Wanted>();
    this.known.set(claim, known);
    let wanted = known.get(spec);
    if (wanted === undefined) known.set(spec, (wanted = this.read(claim, name, parent, spec)));
    return wanted;
  }

  private read(claim: ResourceClaim, name: string, parent: string | undefined, spec: ExactDeviceRequest): Wanted {
    const { capacity, namesAlternatives } = this.input.features;
    if (capacity === 'refused' && spec.capacity !== undefined) {
      const what = parent === undefined || !namesAlternatives ? `request ${parent ?? name}` : `subrequest ${name}`;
      const why = 'has capacity requests, but the DRAConsumableCapacity feature is disabled';
      throw new AllocationFault(`claim ${claimText(claim)}, ${what}: ${why}`);
    }
    const empty = (spec.selectors ?? []).findIndex(({ cel }) => cel === undefined);
    if (empty !== -1) {
      const what = 'CEL expression empty (unsupported selector type?)';
      throw refusedRequest(claim, name, `, selector #${empty}: ${what}`);
    }
    if (!this.input.features.adminAccess && spec.adminAccess !== undefined) {
      throw refusedRequest(claim, name, ': admin access is requested, but the feature is disabled');
    }
    const { deviceClassName } = spec;
    if (deviceClassName === '') {
      throw refusedRequest(claim, name, ': missing device class name (unsupported request type?)');
    }
    const deviceClass = this.input.classOf(deviceClassName);
    if (deviceClass === undefined) {
      const missing = `deviceclass.resource.k8s.io "${deviceClassName}" not found`;
      throw refusedRequest(claim, name, `: could not retrieve device class ${deviceClassName}: ${missing}`);
    }
    const selectors = [
      ...this.selectors(deviceClass.spec?.selectors, `class ${deviceClass.metadata.name}`),
      ...this.selectors(spec.selectors, `claim ${claimText(claim)}`),
    ];
    const label = parent === undefined ? name : `${parent}/${name}`;
    return { name, parent, spec, label, selectors, count: Number(spec.count ?? 0), all: undefined };
  }

  private selectors(selectors: readonly DeviceSelector[] = [], owner: string): readonly OwnedSelector[] {
    const { work } = this.input;
    return selectors.map(({ cel }, index) => ({ selector: work.selector(cel?.expression ?? ''), owner, index }));
  }
}

const refusedRequest = (claim: ResourceClaim, name: string, why: string): AllocationFault =>
  new AllocationFault(`claim ${claimText(claim)}, request ${name}${why}`);

const NO_CONSTRAINTS: readonly Constraint[] = [];

/** One search for the devices of some claims on one node. */
class Search {
  private readonly pools: readonly Pool[];
  private readonly candidates: readonly Candidate[];
  private readonly claims: readonly WantedClaim[];
  private readonly counters: DeviceCounters;
  /** By the number of the device, the claims for which it is taken as a whole. */
  private readonly taken = new Map<number, Set<number>>();
  /** By the number of the device, what is consumed of those that are shared. */
  private readonly consumed = new Map<number, Amounts>();
  /** Whether devices that select nodes themselves are for this one. */
  private readonly forNode = new Map<Candidate, boolean>();

  constructor(
    private readonly input: AllocatorInput,
    private readonly wantedRequests: WantedRequests,
    private readonly node: Node,
    { pools, candidates }: NodePools,
    claims: readonly ResourceClaim[],
    private readonly asksCounters = true,
  ) {
    const requests = claims.reduce((sum, { spec }) => sum + (spec?.devices?.requests ?? []).length, claims.length);
    if (requests > MAX_REQUESTS) throw new TooMuchWork(`there are more than ${MAX_REQUESTS} requests for devices`);
    input.work.beginNode();
    this.pools = pools;
    this.candidates = candidates;
    this.counters = new DeviceCounters(input.allocated);
    this.claims = claims.map((claim) => this.wantedClaim(claim));
  }

  run(): readonly Omit<ClaimAllocation, 'nodeSelector'>[] | 'failed' | 'exceeded' {
    const found = this.next(0, 0, 0, 0, false, 0);
    return found === 'done' ? this.claims : found;
  }

  /** The counter sets that are exceeded by what is found without asking counters. */
  setsInTheWay(): readonly AllocationObstacle[] {
    if (this.run() !== this.claims) return [];
    const byPool = new Map<Pool, Device[]>();
    for (const { candidate } of this.claims.flatMap(({ devices }) => devices)) {
      byPool.set(candidate.pool, [...(byPool.get(candidate.pool) ?? []), candidate.device]);
    }
    return [...byPool].flatMap(([pool, devices]) =>
      this.counters
        .setsExceededBy(pool, devices)
        .map((name): AllocationObstacle => ({ kind: 'CounterSet', name, pool: pool.id })),
    );
  }

  /** What each request lacks by itself; or, if each could be met alone, what they all select. */
  shortages(): { readonly shortages: readonly DeviceShortage[]; readonly isOfAll: boolean } {
    const all = this.claims.flatMap((claim, index) =>
      claim.requests.flatMap(({ alternatives }) =>
        alternatives.map((wanted) => ({ wanted, shortage: this.shortageOf(claim.claim, index, wanted) })),
      ),
    );
    const lacking = all.filter(({ wanted, shortage }) => {
      const usable = shortage.selected - shortage.refused;
      return wanted.all === undefined ? usable < wanted.count : shortage.refused > 0 || usable === 0;
    });
    const isOfAll = lacking.length === 0;
    return { shortages: (isOfAll ? all : lacking).map(({ shortage }) => shortage), isOfAll };
  }

  private shortageOf(claim: ResourceClaim, index: number, wanted: Wanted): DeviceShortage {
    const { label, count, all } = wanted;
    const selected = all ?? this.candidates.filter((candidate) => this.isMatched(wanted, candidate));
    const devices: RefusedDevice[] = [];
    const counts = { inUse: 0, tainted: 0, capacity: 0, gateOff: 0, combination: 0 };
    const taints = new Map<string, CountedDeviceTaint & { devices: number }>();
    for (const candidate of selected) {
      const device = this.refusal(wanted, candidate, index);
      counts[COUNTED[device.because]] += 1;
      if (devices.length < MAX_NAMED_DEVICES) devices.push(device);
      for (const taint of candidate.device.taints ?? []) {
        if (preventingDeviceTaint([taint], []) === undefined) continue;
        const rule = ruleOf(taint);
        const id = JSON.stringify([taint.key, taint.value ?? '', taint.effect, rule]);
        const known = taints.get(id);
        if (known !== undefined) known.devices += 1;
        else if (taints.size < MAX_NAMED_DEVICES) {
          const tolerated = preventingDeviceTaint([taint], wanted.spec.tolerations ?? []) === undefined;
          taints.set(id, { taint: plainTaint(taint), devices: 1, tolerated, ...defined({ rule }) });
        }
      }
    }
    const poolsThatAre = (wantedState: Pool['state']): readonly string[] =>
      this.pools
        .filter(({ state }) => state === wantedState)
        .slice(0, MAX_NAMED_DEVICES)
        .map(({ id }) => id);
    return {
      claim: claimText(claim),
      request: label,
      wanted: all === undefined ? count : undefined,
      selected: selected.length,
      devices,
      refused: counts.inUse + counts.tainted + counts.capacity + counts.gateOff,
      counts,
      notSelected: this.candidates.length - selected.length,
      taints: [...taints.values()],
      incompletePools: poolsThatAre('incomplete'),
      invalidPools: poolsThatAre('invalid'),
      obstacles: [],
    };
  }

  private refusal(wanted: Wanted, candidate: Candidate, claim: number): RefusedDevice {
    const { device } = candidate;
    const { spec } = wanted;
    const id = candidateText(candidate);
    if (!this.isFree(wanted, candidate, claim)) {
      const { whole, shared } = this.useOf(candidate) ?? {};
      const [holder] = (whole?.get(device.name) ?? shared?.get(device.name) ?? []).map(claimText).sort();
      return { device: id, because: 'InUse', ...defined({ claim: holder }) };
    }
    if (device.unread?.has('consumesCounters') === true || device.unread?.has('bindingConditions') === true) {
      return { device: id, because: 'GateOff' };
    }
    const taint = preventingDeviceTaint(device.taints ?? [], spec.tolerations ?? []);
    if (taint !== undefined) {
      return { device: id, because: 'Tainted', taint: plainTaint(taint), ...defined({ rule: ruleOf(taint) }) };
    }
    return { device: id, because: this.hasCapacity(spec, candidate) ? 'Combination' : 'Capacity' };
  }

  private wantedClaim(claim: ResourceClaim): WantedClaim {
    const { constraints = [] } = claim.spec?.devices ?? {};
    return {
      claim,
      requests: this.requestsOf(claim),
      constraints:
        constraints.length === 0
          ? NO_CONSTRAINTS
          : constraints.map((one, index) => {
              const constraint = constraintOf(one, this.input.features.distinctAttributes);
              if (constraint !== undefined) return constraint;
              const what = 'empty constraint (unsupported constraint type?)';
              throw new AllocationFault(`claim ${claimText(claim)}, constraint #${index}: ${what}`);
            }),
      devices: [],
    };
  }

  private requestsOf(claim: ResourceClaim): readonly WantedRequest[] {
    const known = this.wantedRequests.of(claim);
    if (known !== undefined) return known;
    const wanted = (claim.spec?.devices?.requests ?? []).map((request) => this.wantedRequest(claim, request));
    const least = wanted.reduce(
      (sum, { alternatives }) => sum + Math.min(...alternatives.map(({ count }) => count)),
      0,
    );
    if (least > MAX_DEVICES) {
      throw new AllocationFault(
        `claim ${claimText(claim)}: number of requested devices ${least} exceeds the claim limit of ${MAX_DEVICES}`,
      );
    }
    this.wantedRequests.keep(claim, wanted);
    return wanted;
  }

  private wantedRequest(claim: ResourceClaim, { name, exactly, firstAvailable = [] }: DeviceRequest): WantedRequest {
    if (firstAvailable.length > 0) {
      return { isList: true, alternatives: firstAvailable.map((one) => this.wanted(claim, one.name, name, one)) };
    }
    const spec = exactly ?? { deviceClassName: '' };
    return { isList: false, alternatives: [this.wanted(claim, name, undefined, spec)] };
  }

  private wanted(claim: ResourceClaim, name: string, parent: string | undefined, spec: ExactDeviceRequest): Wanted {
    const wanted = this.wantedRequests.one(claim, name, parent, spec);
    const { allocationMode = '' } = spec;
    if (allocationMode === 'ExactCount') return wanted;
    if (allocationMode !== 'All') throw refusedRequest(claim, name, `: unsupported count mode ${allocationMode}`);
    const all: Candidate[] = [];
    for (const pool of this.pools) {
      if (pool.state !== 'usable') {
        const what = pool.state === 'incomplete' ? 'being updated' : 'invalid';
        throw refusedRequest(claim, name, `: asks for all devices, but resource pool ${pool.id} is currently ${what}`);
      }
      for (const candidate of pool.candidates) {
        if (this.isSelected(wanted, candidate) && this.hasCapacity(spec, candidate)) all.push(candidate);
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
  private next(
    claimIndex: number,
    requestIndex: number,
    alternative: number,
    device: number,
    isChosen: boolean,
    from: number,
  ): Found {
    const claim = this.claims[claimIndex];
    if (claim === undefined) return 'done';
    const request = claim.requests[requestIndex];
    if (request === undefined) {
      const found = this.next(claimIndex + 1, 0, 0, 0, false, 0);
      // An earlier claim with alternatives may leave other devices to this one.
      return found === 'exceeded' ? 'failed' : found;
    }
    if (request.isList && !isChosen) return this.firstAvailable(claimIndex, requestIndex, request);
    const wanted = request.alternatives[alternative]!;
    const { all, count } = wanted;
    if (all?.length === 0) return 'failed';
    if (device >= count) return this.next(claimIndex, requestIndex + 1, 0, 0, false, 0);
    if (claim.devices.length + count - device > MAX_DEVICES) return 'exceeded';
    const last = all === undefined ? this.candidates.length : device + 1;
    for (let index = all === undefined ? from : device; index < last; index += 1) {
      const candidate = (all ?? this.candidates)[index]!;
      if (all === undefined && !this.mayTake(wanted, candidate, claimIndex)) continue;
      const taken = this.take(claimIndex, wanted, candidate);
      if (taken === undefined) continue;
      const found = this.next(
        claimIndex,
        requestIndex,
        alternative,
        device + 1,
        isChosen,
        all === undefined ? index + 1 : 0,
      );
      if (found === 'done') return found;
      this.giveBack(claimIndex, taken);
      if (found !== 'failed') return found;
    }
    return 'failed';
  }

  private firstAvailable(claim: number, request: number, { alternatives }: WantedRequest): Found {
    let areAllExceeded = true;
    for (const alternative of alternatives.keys()) {
      const found = this.next(claim, request, alternative, 0, true, 0);
      if (found === 'done') return 'done';
      if (found === 'failed') areAllExceeded = false;
    }
    return areAllExceeded ? 'exceeded' : 'failed';
  }

  private mayTake(wanted: Wanted, candidate: Candidate, claim: number): boolean {
    return (
      this.isFree(wanted, candidate, claim) &&
      this.isSelected(wanted, candidate) &&
      this.hasCapacity(wanted.spec, candidate)
    );
  }

  /** With admin access, a device may be in use, but not by the same claim. */
  private isFree({ spec }: Wanted, candidate: Candidate, claim: number): boolean {
    this.input.work.step();
    const taken = this.taken.get(candidate.index);
    if (spec.adminAccess === true) return taken?.has(claim) !== true;
    if (taken !== undefined && taken.size > 0) return false;
    const { name, unread } = candidate.device;
    const use = this.useOf(candidate);
    if (unread?.has('allowMultipleAllocations') === true && use?.shared.has(name) === true) return false;
    return use?.whole.has(name) !== true;
  }

  /** What claims use of the pool of a device. */
  private useOf({ pool }: Candidate): PoolUse | undefined {
    return this.input.allocated[pool.number];
  }

  /**
   * `isSelectable`: what the class selects, then what the request selects, on this node.
   *
   * @throws {AllocationFault} for a selector that cannot tell, unless one before it does not match
   */
  private isSelected(wanted: Wanted, candidate: Candidate): boolean {
    return candidate.device.unread?.has('bindingConditions') !== true && this.isMatched(wanted, candidate);
  }

  /** Whether selectors and nodes match, whatever the feature gates. */
  private isMatched({ selectors }: Wanted, candidate: Candidate): boolean {
    for (const { selector, owner, index } of selectors) {
      const answer = this.input.work.selects(selector, candidate);
      if (answer === true) continue;
      if (answer === false) return false;
      throw new AllocationFault(`${owner}: selector #${index}: CEL ${answer.fault} error: ${answer.message}`);
    }
    return candidate.slice.spec?.perDeviceNodeSelection !== true || this.isForNode(candidate);
  }

  private isForNode(candidate: Candidate): boolean {
    let known = this.forNode.get(candidate);
    if (known === undefined) {
      const matches = this.input.pools.matches(candidate.device, this.node);
      if (typeof matches !== 'boolean') throw new AllocationFault(matches.fault);
      this.forNode.set(candidate, (known = matches));
    }
    return known;
  }

  private hasCapacity({ capacity }: ExactDeviceRequest, candidate: Candidate): boolean {
    const { device, index } = candidate;
    if (this.input.features.capacity !== 'consumed') return true;
    const ofClaims = this.useOf(candidate)?.consumed.get(device.name);
    return fitsCapacity(capacity?.requests, device, ofClaims, this.consumed.get(index));
  }

  /**
   * `allocateDevice`: takes a device if it is free and tolerated, and if counters, constraints and capacity allow it. Like upstream, a
   * device that is refused after its counters were consumed keeps them.
   *
   * @returns undefined if the device cannot be had
   */
  private take(claimIndex: number, wanted: Wanted, candidate: Candidate): Taken | undefined {
    const { index, device, pool } = candidate;
    const { claim, constraints, devices } = this.claims[claimIndex]!;
    const { spec, name, parent } = wanted;
    const isShared = device.allowMultipleAllocations === true;
    if (!(isShared && spec.adminAccess === true) && !this.isFree(wanted, candidate, claimIndex)) return undefined;

    if (device.unread?.has('consumesCounters') === true) return undefined;
    const hasCounters = this.asksCounters && (device.consumesCounters ?? []).length > 0;
    if (hasCounters && !(isShared && this.isShareInUse(candidate)) && !this.counters.consume(pool, device))
      return undefined;

    if (preventingDeviceTaint(device.taints ?? [], spec.tolerations ?? []) !== undefined) return undefined;

    const pick: Pick = {
      driver: pool.driver,
      device,
      request: parent ?? name,
      ...(parent !== undefined && { subrequest: name }),
    };
    for (const [at, constraint] of constraints.entries()) {
      if (constraint.add(pick)) continue;
      if (wanted.all !== undefined) {
        const why = 'because a claim constraint would not be satisfied';
        throw new AllocationFault(
          `claim ${claimText(claim)}, request ${name}: cannot add device ${candidateText(candidate)} ${why}`,
        );
      }
      for (const added of constraints.slice(0, at)) added.remove(pick);
      return undefined;
    }

    const takers = this.taken.get(index) ?? new Set<number>();
    this.taken.set(index, takers);
    if (!isShared) takers.add(claimIndex);
    if (!this.hasCapacity(spec, candidate)) return undefined;
    const consumed = isShared ? consumedCapacity(spec.capacity?.requests, device) : undefined;
    if (consumed !== undefined) addConsumed(this.consumed, index, consumed);
    devices.push({
      request: wanted.label,
      candidate,
      hasAdminAccess: spec.adminAccess === true,
      consumed: consumed === undefined || consumed.size === 0 ? undefined : consumed,
      tolerations: spec.tolerations,
    });
    return { candidate, pick, takers, consumed };
  }

  /** Undoes `take`. */
  private giveBack(claimIndex: number, { candidate, pick, takers, consumed }: Taken): void {
    const { constraints, devices } = this.claims[claimIndex]!;
    const { index, device, pool } = candidate;
    for (const constraint of constraints) constraint.remove(pick);
    takers.delete(claimIndex);
    // The counters of a device that can be shared stay consumed, and it counts as in use if it has no capacity.
    const hasCounters = this.asksCounters && (device.consumesCounters ?? []).length > 0;
    if (device.allowMultipleAllocations !== true && hasCounters) {
      this.counters.release(pool, device);
    }
    if (consumed !== undefined && consumed.size > 0) removeConsumed(this.consumed, index, consumed);
    devices.pop();
  }

  private isShareInUse(candidate: Candidate): boolean {
    return this.useOf(candidate)?.consumed.has(candidate.device.name) === true || this.consumed.has(candidate.index);
  }
}

/** A device that a search has taken. */
interface Taken {
  readonly candidate: Candidate;
  readonly pick: Pick;
  readonly takers: Set<number>;
  /** Of a device that can be shared. */
  readonly consumed: Amounts | undefined;
}
