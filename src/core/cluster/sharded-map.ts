const SHARDS = 1024;

/**
 * A map with string keys whose copies share unchanged parts: a change copies only its shard (a thousandth of the map),
 * so the cost of a new state of a large cluster depends on what changed.
 */
export class ShardedMap<V> {
  private constructor(
    private readonly shards: readonly (ReadonlyMap<string, V> | undefined)[],
    readonly size: number,
  ) {}

  static empty<V>(): ShardedMap<V> {
    return new ShardedMap<V>(new Array<undefined>(SHARDS).fill(undefined), 0);
  }

  get(key: string): V | undefined {
    return this.shards[shardOf(key)]?.get(key);
  }

  *values(): Generator<V> {
    for (const shard of this.shards) if (shard !== undefined) yield* shard.values();
  }

  *entries(): Generator<[string, V]> {
    for (const shard of this.shards) if (shard !== undefined) yield* shard.entries();
  }

  *keys(): Generator<string> {
    for (const shard of this.shards) if (shard !== undefined) yield* shard.keys();
  }

  edit(): ShardedMapEdit<V> {
    return new ShardedMapEdit<V>([...this.shards], this.size, (shards, size) => new ShardedMap(shards, size));
  }
}

/** Changes that are being collected for a new map. Must not be used after `finish`. */
export class ShardedMapEdit<V> {
  private readonly owned = new Set<number>();

  constructor(
    private readonly shards: (ReadonlyMap<string, V> | undefined)[],
    private count: number,
    private readonly make: (shards: readonly (ReadonlyMap<string, V> | undefined)[], size: number) => ShardedMap<V>,
  ) {}

  get(key: string): V | undefined {
    return this.shards[shardOf(key)]?.get(key);
  }

  set(key: string, value: V): void {
    const shard = this.own(key);
    if (!shard.has(key)) this.count += 1;
    shard.set(key, value);
  }

  delete(key: string): boolean {
    if (this.get(key) === undefined) return false;
    this.own(key).delete(key);
    this.count -= 1;
    return true;
  }

  finish(): ShardedMap<V> {
    return this.make(this.shards, this.count);
  }

  private own(key: string): Map<string, V> {
    const number = shardOf(key);
    const shard = this.shards[number];
    if (shard !== undefined && this.owned.has(number)) return shard as Map<string, V>;
    const copy = new Map(shard);
    this.shards[number] = copy;
    this.owned.add(number);
    return copy;
  }
}

function shardOf(key: string): number {
  let hash = 0;
  for (let i = 0; i < key.length; i++) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0;
  return (hash ^ (hash >>> 15)) & (SHARDS - 1);
}
