import { LruCache } from '../collections/lru-cache.js';
import type { ResourceClaim, ResourceClaimSpec } from '../kubernetes/objects/dra.js';
import type { Node } from '../kubernetes/objects/node.js';
import { poolIdText } from './device-id.js';
import type { Pool } from './device-pools.js';

/** The search for the devices of some claims on a node, and what it took. */
export interface KnownSearch<Found> {
  readonly found: Found;
  readonly steps: number;
  readonly cost: number;
}

interface Entry<Found> extends KnownSearch<Found> {
  readonly versions: readonly number[];
}

/** By pool, a number that changes with the devices of it that are in use; 0 for pools of which none is. */
export type PoolVersions = ReadonlyMap<string, number>;

/** Kinds of pods that are remembered. */
const MAX_KINDS = 32;

const specIds = new WeakMap<ResourceClaimSpec, number>();
let lastId = 0;
let lastVersion = 0;

/** A version that no pool has had. */
export const nextVersion = (): number => ++lastVersion;

/** What was found for claims with the same spec on nodes, valid as long as nothing has changed in the pools that a node reaches. */
export class KnownAllocations<Found> {
  private readonly kinds = new LruCache<WeakMap<Node, Entry<Found>>>(MAX_KINDS);

  of(
    claims: readonly ResourceClaim[],
    node: Node,
    pools: readonly Pool[],
    versions: PoolVersions,
  ): KnownSearch<Found> | undefined {
    const entry = this.kinds.peek(keyOf(claims))?.get(node);
    if (entry?.versions.length !== pools.length) return undefined;
    return pools.every((pool, index) => versionOf(pool, versions) === entry.versions[index]) ? entry : undefined;
  }

  keep(
    claims: readonly ResourceClaim[],
    node: Node,
    pools: readonly Pool[],
    versions: PoolVersions,
    search: KnownSearch<Found>,
  ): void {
    const ofKind = this.kinds.get(keyOf(claims), () => new WeakMap());
    ofKind.set(node, { ...search, versions: pools.map((pool) => versionOf(pool, versions)) });
  }
}

const versionOf = (pool: Pool, versions: PoolVersions): number =>
  versions.get(poolIdText({ driver: pool.driver, pool: pool.name })) ?? 0;

/** Claims from one template share their spec. */
const keyOf = (claims: readonly ResourceClaim[]): string =>
  claims.map(({ spec }) => (spec === undefined ? '' : idOf(spec))).join();

function idOf(spec: ResourceClaimSpec): number {
  let id = specIds.get(spec);
  if (id === undefined) specIds.set(spec, (id = ++lastId));
  return id;
}
