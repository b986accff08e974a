const SHARDS = 1024;

/** The most changes that a map keeps beside its shards: each new map copies them. */
const MOST_RECENT = 128;

type Shards<V> = readonly (ReadonlyMap<string, V> | undefined)[];

const NO_SHARDS: Shards<never> = new Array<undefined>(SHARDS).fill(undefined);

/** The changes since the shards were made; undefined for a key that was deleted. */
type Recent<V> = ReadonlyMap<string, V | undefined>;

/** What an entry takes in memory beside its value. */
const BYTES_OF_ENTRY = 200;

/** Distinct entries that are not in memory as such. */
export interface UnreadEntries<V> {
  readonly count: number;
  /** The approximate bytes in memory, with those of values that have been read. */
  readonly bytes: number;
  entries(): Iterable<readonly [string, V]>;
  /** Those whose keys start with a text, in no order. */
  within(prefix: string): readonly (readonly [string, V])[];
}

/**
 * A map with string keys, and values other than undefined, whose copies share unchanged parts, so that the cost of a new state of a
 * large cluster depends on what changed: a few changes are kept beside the shards; more are put into them, and each shard that
 * changes is copied (a thousandth of the map).
 */
export class ShardedMap<V> {
  private constructor(
    /** Undefined while no entry of `origin` has been asked for; few of them are as if they were recent. */
    private shards: Shards<V> | undefined,
    private recent: Recent<V>,
    readonly size: number,
    private readonly origin?: UnreadEntries<V>,
    /** Whether it has other entries than `origin`. */
    private readonly isEdited = true,
  ) {}

  static empty<V>(): ShardedMap<V> {
    return new ShardedMap<V>(NO_SHARDS, new Map(), 0);
  }

  /** A map of entries that are read when one of them is asked for. */
  static unread<V>(entries: UnreadEntries<V>): ShardedMap<V> {
    return new ShardedMap<V>(undefined, new Map(), entries.count, entries, false);
  }

  /** The unread entries of which it is a map; undefined if it has others. */
  get unread(): UnreadEntries<V> | undefined {
    return this.isEdited ? undefined : this.origin;
  }

  get(key: string): V | undefined {
    const shards = this.filled();
    return find(shards, this.recent, key);
  }

  *values(): Generator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  *entries(): Generator<[string, V]> {
    const shards = this.filled();
    const { recent } = this;
    for (const shard of shards) {
      if (shard === undefined) continue;
      if (recent.size === 0) yield* shard.entries();
      else for (const entry of shard) if (!recent.has(entry[0])) yield entry;
    }
    for (const [key, value] of recent) if (value !== undefined) yield [key, value];
  }

  *keys(): Generator<string> {
    for (const [key] of this.entries()) yield key;
  }

  /** The entries whose keys start with a text, in no order. */
  within(prefix: string): readonly (readonly [string, V])[] {
    if (this.shards === undefined) return this.origin!.within(prefix);
    return [...this.entries()].filter(([key]) => key.startsWith(prefix));
  }

  edit(): ShardedMapEdit<V> {
    const make: MakeMap<V> = (shards, recent, size) => new ShardedMap(shards, recent, size, this.origin);
    const shards = this.filled();
    return new ShardedMapEdit<V>(shards, this.recent, this.size, make);
  }

  /** The approximate bytes in memory. @param each those of a value that is not of unread entries */
  bytes(each: number): number {
    const { origin, size } = this;
    if (origin === undefined) return size * each;
    const filled = this.shards === undefined ? 0 : size * BYTES_OF_ENTRY;
    return origin.bytes + filled + Math.max(0, size - origin.count) * each;
  }

  private filled(): Shards<V> {
    if (this.shards !== undefined) return this.shards;
    if (this.size <= MOST_RECENT) {
      this.recent = new Map(this.origin!.entries());
      return (this.shards = NO_SHARDS);
    }
    const shards = new Array<Map<string, V> | undefined>(SHARDS).fill(undefined);
    for (const [key, value] of this.origin!.entries()) {
      const number = shardOf(key);
      const shard = shards[number];
      if (shard === undefined) shards[number] = new Map([[key, value]]);
      else shard.set(key, value);
    }
    return (this.shards = shards);
  }
}

type MakeMap<V> = (shards: Shards<V>, recent: Recent<V>, size: number) => ShardedMap<V>;

/** Changes that are being collected for a new map. Must not be used after `finish`. */
export class ShardedMapEdit<V> {
  private recent: Map<string, V | undefined>;
  /** A copy of the shards, if there are too many changes to keep them apart; those that are in `owned` are copies, too. */
  private copied: (ReadonlyMap<string, V> | undefined)[] | undefined;
  private readonly owned = new Set<number>();

  constructor(
    private readonly shards: Shards<V>,
    recent: Recent<V>,
    private count: number,
    private readonly make: MakeMap<V>,
  ) {
    this.recent = new Map(recent);
  }

  get(key: string): V | undefined {
    return find(this.copied ?? this.shards, this.recent, key);
  }

  set(key: string, value: V): void {
    if (this.get(key) === undefined) this.count += 1;
    this.put(key, value);
  }

  delete(key: string): boolean {
    if (this.get(key) === undefined) return false;
    this.count -= 1;
    this.put(key, undefined);
    return true;
  }

  finish(): ShardedMap<V> {
    return this.make(this.copied ?? this.shards, this.recent, this.count);
  }

  private put(key: string, value: V | undefined): void {
    if (this.copied === undefined) {
      this.recent.set(key, value);
      if (this.recent.size <= MOST_RECENT) return;
      this.copied = [...this.shards];
      for (const [changed, to] of this.recent) this.putInShard(this.copied, changed, to);
      this.recent = new Map();
    } else {
      this.putInShard(this.copied, key, value);
    }
  }

  private putInShard(shards: (ReadonlyMap<string, V> | undefined)[], key: string, value: V | undefined): void {
    const number = shardOf(key);
    if (!this.owned.has(number)) {
      shards[number] = new Map(shards[number]);
      this.owned.add(number);
    }
    const shard = shards[number] as Map<string, V>;
    if (value === undefined) shard.delete(key);
    else shard.set(key, value);
  }
}

function find<V>(shards: Shards<V>, recent: Recent<V>, key: string): V | undefined {
  if (recent.size > 0) {
    const changed = recent.get(key);
    if (changed !== undefined || recent.has(key)) return changed;
  }
  return shards[shardOf(key)]?.get(key);
}

function shardOf(key: string): number {
  let hash = 0;
  for (let i = 0; i < key.length; i++) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0;
  return (hash ^ (hash >>> 15)) & (SHARDS - 1);
}
