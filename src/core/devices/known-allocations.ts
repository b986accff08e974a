import { LruCache } from '../collections/lru-cache.js';
import type { ResourceClaim, ResourceClaimSpec } from '../kubernetes/objects/dra.js';
import type { AllocatedDevices } from './allocated-devices.js';
import type { NodePools } from './device-pools.js';

/** The search for the devices of some claims on a node, and what it took. */
export interface KnownSearch<Found> {
  readonly found: Found;
  readonly steps: number;
  readonly cost: number;
}

interface Entry<Found> extends KnownSearch<Found> {
  readonly reached: NodePools;
  /** What was in use of each pool. */
  readonly uses: AllocatedDevices;
}

/** Kinds of pods that are remembered. */
const MAX_KINDS = 32;

const specIds = new WeakMap<ResourceClaimSpec, number>();
let lastId = 0;

/** What was found for claims of one kind, by the number of the node; valid while nothing has changed in the pools that the node reaches. */
export class AllocationsOfKind<Found> {
  private readonly entries: (Entry<Found> | undefined)[] = [];

  of(reached: NodePools, allocated: AllocatedDevices): KnownSearch<Found> | undefined {
    const entry = this.entries[reached.index];
    if (entry?.reached !== reached) return undefined;
    const { pools } = reached;
    for (let at = 0; at < pools.length; at++) {
      if (allocated[pools[at]!.number] !== entry.uses[at]) return undefined;
    }
    return entry;
  }

  keep(reached: NodePools, allocated: AllocatedDevices, { found, steps, cost }: KnownSearch<Found>): void {
    const uses = reached.pools.map(({ number }) => allocated[number]);
    this.entries[reached.index] = { found, steps, cost, reached, uses };
  }
}

/** The same for every kind of claims: those with the same specs. */
export class KnownAllocations<Found> {
  private readonly kinds = new LruCache<AllocationsOfKind<Found>>(MAX_KINDS);

  of(claims: readonly ResourceClaim[]): AllocationsOfKind<Found> {
    return this.kinds.get(keyOf(claims), () => new AllocationsOfKind());
  }
}

/** Claims from one template share their spec. */
const keyOf = (claims: readonly ResourceClaim[]): string =>
  claims.map(({ spec }) => (spec === undefined ? '' : idOf(spec))).join();

function idOf(spec: ResourceClaimSpec): number {
  let id = specIds.get(spec);
  if (id === undefined) specIds.set(spec, (id = ++lastId));
  return id;
}
