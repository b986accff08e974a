import { compare } from '../json/compare.js';
import { aggregateText } from '../kubernetes/error-aggregate.js';
import {
  compileNodeSelector,
  matchCompiledNodeSelector,
  type CompiledNodeSelector,
} from '../kubernetes/node-selector.js';
import { nodeSelectorText } from '../kubernetes/node-selector-text.js';
import type { Counter, Device, ResourceSlice } from '../kubernetes/objects/dra.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { NodeSelector } from '../kubernetes/objects/selectors.js';
import { deviceIdText, poolIdText } from './device-id.js';
import { PoolCounters } from './pool-counters.js';
import { SelectorColumns } from './selector-columns.js';

/** A device that a node can reach. */
export interface Candidate {
  readonly device: Device;
  readonly slice: ResourceSlice;
  readonly pool: Pool;
  /** The number of the device among all of the cluster. */
  readonly index: number;
}

/** `deviceIdText` of a candidate. */
export const candidateText = ({ pool, device }: Candidate): string =>
  deviceIdText({ driver: pool.driver, pool: pool.name, device: device.name });

/** The devices of a pool that a node can reach. */
export interface Pool {
  /** `poolIdText`. */
  readonly id: string;
  /** The number of the pool among all of the cluster. */
  readonly number: number;
  readonly driver: string;
  readonly name: string;
  /**
   * `incomplete` while slices are missing or too many; `invalid` if devices or counters contradict each other. Neither has devices here,
   * and for either, all devices cannot be allocated.
   */
  readonly state: 'usable' | 'incomplete' | 'invalid';
  readonly candidates: readonly Candidate[];
  /** Devices of the pool that the node cannot reach, which consume the same counters. */
  readonly elsewhere: readonly Device[];
  readonly counters: PoolCounters;
}

/** What a node can reach. */
export interface NodePools {
  /** The number of the node among those that were asked about, by name. */
  readonly index: number;
  /**
   * In the order in which devices are searched: by driver and name, and those with devices that have binding conditions last. Of each
   * pool, only the newest of the generations that the node can reach counts (`GatherPools`).
   */
  readonly pools: readonly Pool[];
  /** The devices of all pools. */
  readonly candidates: readonly Candidate[];
  readonly areInvalid: boolean;
}

/** What is counted through in a cluster. */
interface Numbers {
  /** By slice, the number of its first device. */
  readonly devices: Map<ResourceSlice, number>;
  /** By `poolIdText`. */
  readonly pools: Map<string, number>;
}

/** Slices of which the pools of a node cannot be told, in Kubernetes' words. */
export interface PoolFault {
  readonly fault: string;
}

type SliceSpec = NonNullable<ResourceSlice['spec']>;

const specOf = ({ spec }: ResourceSlice): SliceSpec => spec ?? { driver: '' };
const poolName = (slice: ResourceSlice): string => specOf(slice).pool?.name ?? '';
const poolOf = (slice: ResourceSlice): string => poolIdText({ driver: specOf(slice).driver, pool: poolName(slice) });
const generationOf = (slice: ResourceSlice): bigint => BigInt(specOf(slice).pool?.generation ?? 0);
const hasCounters = (slice: ResourceSlice): boolean => (specOf(slice).sharedCounters ?? []).length > 0;
/** Whether every node reaches a slice that is not local. */
const reachesAll = (slice: ResourceSlice): boolean =>
  hasCounters(slice) || ((specOf(slice).nodeName ?? '') === '' && specOf(slice).allNodes === true);

/**
 * All ResourceSlices, from which the pools of each node are gathered.
 *
 * Source: k8s.io/dynamic-resource-allocation v0.36.2, structured/internal/incubating, `NewAllocator` and pools_incubating.go.
 */
export class DevicePools {
  private readonly local = new Map<string, ResourceSlice[]>();
  /** Slices that more than one node may reach, by pool. */
  private readonly common = new Map<string, ResourceSlice[]>();
  /** Those of them that not every node reaches. */
  private readonly selective: ResourceSlice[] = [];
  /** The pools of what every node reaches, without those that make no difference: pools of counters, whose devices are elsewhere. */
  private background: ReadonlyMap<string, Pool> | undefined;
  private readonly byPool = new Map<string, ResourceSlice[]>();
  private readonly selectors = new Map<NodeSelector, CompiledNodeSelector>();
  private readonly known = new WeakMap<Node, NodePools | PoolFault>();
  private readonly nodes = new Map<string, number>();
  private readonly numbers: Numbers = { devices: new Map(), pools: new Map() };
  /** What selectors say of the devices. */
  readonly columns: SelectorColumns;

  /** @param knowsShares whether selectors know that devices can be shared */
  constructor(slices: readonly ResourceSlice[], knowsShares = true) {
    let devices = 0;
    for (const slice of slices) {
      this.numbers.devices.set(slice, devices);
      const pool = poolOf(slice);
      if (!this.numbers.pools.has(pool)) this.numbers.pools.set(pool, this.numbers.pools.size);
      devices += (specOf(slice).devices ?? []).length;
      const { nodeName = '' } = specOf(slice);
      if (nodeName === '' || hasCounters(slice)) addTo(this.common, pool, slice);
      else addTo(this.local, nodeName, slice);
      if (nodeName === '' && !reachesAll(slice)) this.selective.push(slice);
      addTo(this.byPool, pool, slice);
    }
    this.columns = new SelectorColumns(devices, knowsShares);
  }

  /** The numbers of the pools, by `poolIdText`. */
  get poolNumbers(): ReadonlyMap<string, number> {
    return this.numbers.pools;
  }

  /** The pools that a node can reach. */
  of(node: Node): NodePools | PoolFault {
    let known = this.known.get(node);
    if (known === undefined) {
      const pools = this.gather(node);
      known =
        'fault' in pools
          ? pools
          : {
              index: this.numberOf(node),
              pools,
              candidates: pools.flatMap(({ candidates }) => candidates),
              areInvalid: pools.some(({ state }) => state === 'invalid'),
            };
      this.known.set(node, known);
    }
    return known;
  }

  private numberOf({ metadata: { name } }: Node): number {
    let number = this.nodes.get(name);
    if (number === undefined) this.nodes.set(name, (number = this.nodes.size));
    return number;
  }

  private gather(node: Node): readonly Pool[] | PoolFault {
    const reachable = new Map<string, ResourceSlice[]>();
    const local = this.local.get(node.metadata.name) ?? [];
    const touched = new Set(local.map(poolOf));
    const reached = new Set<ResourceSlice>();
    for (const slice of this.selective) {
      const reaches = this.reaches(slice, node);
      if (typeof reaches !== 'boolean') return reaches;
      if (!reaches) continue;
      reached.add(slice);
      touched.add(poolOf(slice));
    }
    for (const slice of local) addNewest(reachable, slice);
    for (const id of touched) {
      for (const slice of this.common.get(id) ?? []) {
        if (reachesAll(slice) || reached.has(slice)) addNewest(reachable, slice);
      }
    }
    const pools = [...reachable.values()].flatMap((slices) => this.poolOf(slices) ?? []);
    for (const [id, pool] of this.poolsForAll()) if (!touched.has(id)) pools.push(pool);
    const [plain, bound] = [pools.filter((pool) => !hasBindingConditions(pool)), pools.filter(hasBindingConditions)];
    return [...plain.sort(comparePools), ...bound.sort(comparePools)];
  }

  private poolsForAll(): ReadonlyMap<string, Pool> {
    if (this.background === undefined) {
      const pools = new Map<string, Pool>();
      for (const [id, slices] of this.common) {
        const newest = new Map<string, ResourceSlice[]>();
        for (const slice of slices) if (reachesAll(slice)) addNewest(newest, slice);
        const current = newest.get(id);
        const pool = current && this.poolOf(current);
        if (pool !== undefined && (pool.state !== 'usable' || pool.candidates.length > 0)) pools.set(id, pool);
      }
      this.background = pools;
    }
    return this.background;
  }

  /** Whether a node may use devices of the slice. Slices with counters are always needed. */
  private reaches(slice: ResourceSlice, node: Node): boolean | PoolFault {
    if (hasCounters(slice)) return true;
    const { nodeName = '', allNodes = false, nodeSelector, perDeviceNodeSelection, devices = [] } = specOf(slice);
    const at = `failed to perform node selection for`;
    if (nodeName !== '' || allNodes || nodeSelector !== undefined) {
      const matches = this.matches({ nodeName, allNodes, nodeSelector }, node);
      return typeof matches === 'boolean' ? matches : { fault: `${at} slice ${slice.metadata.name}: ${matches.fault}` };
    }
    if (perDeviceNodeSelection !== true) return false;
    for (const device of devices) {
      const matches = this.matches(device, node);
      if (typeof matches !== 'boolean') {
        return { fault: `${at} device ${device.name} in slice ${slice.metadata.name}: ${matches.fault}` };
      }
      if (matches) return true;
    }
    return false;
  }

  /** Whether a slice or a device is for a node (`NodeMatches`). */
  matches({ nodeName = '', allNodes = false, nodeSelector }: NodeChoice, node: Node): boolean | PoolFault {
    if (nodeName !== '') return nodeName === node.metadata.name;
    if (allNodes) return true;
    if (nodeSelector === undefined) return false;
    let compiled = this.selectors.get(nodeSelector);
    if (compiled === undefined) this.selectors.set(nodeSelector, (compiled = compileNodeSelector(nodeSelector)));
    const errors = compiled.terms.flatMap((term) => term.errors);
    if (errors.length > 0) {
      return { fault: `failed to parse node selector ${nodeSelectorText(nodeSelector)}: ${aggregateText(errors)}` };
    }
    return matchCompiledNodeSelector(compiled, node).matches;
  }

  /** The pool of some slices of one generation; undefined if another node has a newer generation. */
  private poolOf(slices: readonly ResourceSlice[]): Pool | undefined {
    const [first] = slices;
    const wanted = BigInt(specOf(first!).pool?.resourceSliceCount ?? 0);
    if (BigInt(slices.length) === wanted) return poolFrom(slices, [], this.numbers);
    const all = this.byPool.get(poolOf(first!)) ?? [];
    const generation = generationOf(first!);
    if (all.some((slice) => generationOf(slice) > generation)) return undefined;
    const current = all.filter((slice) => generationOf(slice) === generation);
    if (BigInt(current.length) !== wanted) return emptyPool(first!, 'incomplete', this.numbers);
    const own = new Set(slices.map(({ metadata }) => metadata.name));
    return poolFrom(
      slices,
      current.length === slices.length ? [] : current.filter(({ metadata }) => !own.has(metadata.name)),
      this.numbers,
    );
  }
}

/** For which nodes a slice or a device is. */
interface NodeChoice {
  readonly nodeName?: string;
  readonly allNodes?: boolean;
  readonly nodeSelector?: NodeSelector | undefined;
}

function addTo<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** Adds the slice to its pool; a newer generation replaces an older one. */
function addNewest(pools: Map<string, ResourceSlice[]>, slice: ResourceSlice): void {
  const id = poolOf(slice);
  const known = pools.get(id);
  const generation = known === undefined ? undefined : generationOf(known[0]!);
  if (generation === undefined || generationOf(slice) > generation) pools.set(id, [slice]);
  else if (generationOf(slice) === generation) known!.push(slice);
}

/** `buildPool`; devices by the names of their slices. */
function poolFrom(reachable: readonly ResourceSlice[], others: readonly ResourceSlice[], numbers: Numbers): Pool {
  const slices = [...reachable].sort((a, b) => compare(a.metadata.name, b.metadata.name));
  const withDevices = slices.filter((slice) => !hasCounters(slice));
  const names = withDevices.flatMap((slice) => (specOf(slice).devices ?? []).map(({ name }) => name));
  const counterSets = countersOf(slices);
  if (
    new Set(names).size !== names.length ||
    counterSets === undefined ||
    ![...slices, ...others].every((slice) => hasItsCounters(slice, counterSets))
  ) {
    return emptyPool(slices[0]!, 'invalid', numbers);
  }
  const candidates: Candidate[] = [];
  const pool: Pool = {
    ...emptyPool(slices[0]!, 'usable', numbers),
    candidates,
    elsewhere: others.flatMap((slice) => specOf(slice).devices ?? []),
    counters: counterSets.size === 0 ? NO_COUNTERS : new PoolCounters(counterSets),
  };
  for (const slice of withDevices) {
    const first = numbers.devices.get(slice) ?? 0;
    for (const [index, device] of (specOf(slice).devices ?? []).entries()) {
      candidates.push({ device, slice, pool, index: first + index });
    }
  }
  return pool;
}

const NO_COUNTERS = new PoolCounters(new Map());

function emptyPool(slice: ResourceSlice, state: Pool['state'], { pools }: Numbers): Pool {
  const id = poolOf(slice);
  return {
    id,
    number: pools.get(id) ?? 0,
    driver: specOf(slice).driver,
    name: poolName(slice),
    state,
    candidates: [],
    elsewhere: [],
    counters: NO_COUNTERS,
  };
}

type CounterSets = ReadonlyMap<string, Readonly<Record<string, Counter>>>;

/** The counter sets by name, or undefined if two have the same one. */
function countersOf(slices: readonly ResourceSlice[]): CounterSets | undefined {
  const sets = slices.flatMap((slice) => specOf(slice).sharedCounters ?? []);
  const byName = new Map(sets.map(({ name, counters = {} }) => [name, counters] as const));
  return byName.size === sets.length ? byName : undefined;
}

/** Whether all counters that devices consume exist. */
const hasItsCounters = (slice: ResourceSlice, sets: CounterSets): boolean =>
  (specOf(slice).devices ?? []).every(({ consumesCounters = [] }) =>
    consumesCounters.every(({ counterSet, counters = {} }) => {
      const known = sets.get(counterSet);
      return known !== undefined && Object.keys(counters).every((name) => Object.hasOwn(known, name));
    }),
  );

const hasBindingConditions = ({ candidates }: Pool): boolean =>
  candidates.some(({ device }) => device.bindingConditions !== undefined);

const comparePools = (a: Pool, b: Pool): number => compare(a.driver, b.driver) || compare(a.name, b.name);

/** The newest generation of a pool. */
export interface WholePool {
  readonly generation: bigint;
  readonly pool: Pool;
}

/** Every pool, as a node sees it that reaches all slices; by `poolIdText`. */
export function wholePools(slices: readonly ResourceSlice[]): ReadonlyMap<string, WholePool> {
  const newest = new Map<string, ResourceSlice[]>();
  for (const slice of slices) addNewest(newest, slice);
  const pools = new Map([...newest.keys()].map((id, number) => [id, number] as const));
  const numbers: Numbers = { devices: new Map(), pools };
  return new Map(
    [...newest].map(([id, current]) => {
      const [first] = current;
      const isComplete = BigInt(current.length) === BigInt(specOf(first!).pool?.resourceSliceCount ?? 0);
      const pool = isComplete ? poolFrom(current, [], numbers) : emptyPool(first!, 'incomplete', numbers);
      return [id, { generation: generationOf(first!), pool }];
    }),
  );
}
