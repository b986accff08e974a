import { randomInt } from 'node:crypto';
import type { ClientBase } from 'pg';
import { Slices } from '../event-loop/slices.js';
import { packKey } from './object-key.js';

/** The number of bytes of a hash. */
export const HASH_BYTES = 16;

/** The objects of one kind in one namespace, as the database aggregates them. */
export interface StateGroup {
  readonly kind: string;
  readonly namespace: string;
  readonly count: number;
  /** The hashes, one after another. */
  readonly hashes: Buffer;
  /** Of each object: its name and its resourceVersion, which is empty if it has none; all separated by NUL. */
  readonly texts: Buffer;
}

/**
 * The objects of one revision without their content: keys, hashes and resourceVersions, with consecutive numbers. They stay the bytes that
 * the database sent: a large cluster's are in memory while a snapshot arrives, and few of its keys are asked for.
 */
export class StateHashes {
  readonly size: number;
  /** All hashes, in the order of the objects' numbers. */
  readonly hashes: Buffer;
  /** The index of each object's group. */
  private readonly groupOf: Uint32Array;
  /** Where each object's name begins and ends in the texts of its group. */
  private readonly starts: Uint32Array;
  private readonly ends: Uint32Array;
  /** The resourceVersions as numbers; `NONE`, or `TEXT` for those in `versionTexts`. */
  private readonly versions: Float64Array;
  private readonly versionTexts = new Map<number, string>();
  /** Once a key is asked for. */
  private numbers: Numbers | undefined;

  private constructor(private readonly groups: readonly StateGroup[]) {
    this.size = groups.reduce((sum, { count }) => sum + count, 0);
    this.hashes = Buffer.concat(groups.map(({ hashes }) => hashes));
    if (this.hashes.length !== this.size * HASH_BYTES)
      throw new Error('an object is stored with a hash of another size');
    this.groupOf = new Uint32Array(this.size);
    this.starts = new Uint32Array(this.size);
    this.ends = new Uint32Array(this.size);
    this.versions = new Float64Array(this.size);
  }

  static async of(groups: readonly StateGroup[]): Promise<StateHashes> {
    const state = new StateHashes(groups);
    const slices = new Slices();
    let first = 0;
    for (const [group, { count }] of groups.entries()) {
      if (slices.due()) await slices.pause();
      state.readGroup(group, first);
      first += count;
    }
    return state;
  }

  static readonly none = new StateHashes([]);

  /** The number of an object; -1 if there is no such object. */
  indexOf(key: string): number {
    if (this.size === 0) return -1;
    this.numbers ??= new Numbers(this.groups, this.groupOf, this.starts, this.ends);
    return this.numbers.numberOf(key);
  }

  /** The packed key of an object. */
  key(index: number): string {
    const { kind, namespace, texts } = this.groups[this.groupOf[index]!]!;
    return packKey(kind, namespace, texts.toString('utf8', this.starts[index], this.ends[index]));
  }

  kind(index: number): string {
    return this.groups[this.groupOf[index]!]!.kind;
  }

  /** Whether the hash of an object equals the one at `offset` of `bytes`. */
  hasHash(index: number, bytes: Uint8Array, offset: number): boolean {
    const own = this.hashes;
    for (let at = index * HASH_BYTES, byte = 0; byte < HASH_BYTES; byte++) {
      if (own[at + byte] !== bytes[offset + byte]) return false;
    }
    return true;
  }

  /** Whether an object of this state has the same hash as an object of another. */
  equals(index: number, other: StateHashes, otherIndex: number): boolean {
    return this.hasHash(index, other.hashes, otherIndex * HASH_BYTES);
  }

  resourceVersion(index: number): string | null {
    const version = this.versions[index]!;
    if (version === NONE) return null;
    return version === TEXT ? this.versionTexts.get(index)! : String(version);
  }

  hasResourceVersion(index: number, text: string | null): boolean {
    const version = numberOf(text);
    return this.versions[index] === version && (version !== TEXT || this.versionTexts.get(index) === text);
  }

  /** Reads the texts of a group's objects, the first of which has this number. */
  private readGroup(group: number, first: number): void {
    const { count, texts } = this.groups[group]!;
    let at = 0;
    for (let index = first; index < first + count; index++) {
      this.groupOf[index] = group;
      this.starts[index] = at;
      while (texts[at] !== 0) at++;
      this.ends[index] = at++;
      at = this.readVersion(index, texts, at) + 1;
    }
  }

  /** Reads the resourceVersion at `start`; returns the index after it. */
  private readVersion(index: number, texts: Buffer, start: number): number {
    let end = start;
    let value = 0;
    let isNumber = texts[start] !== ZERO;
    for (; end < texts.length && texts[end] !== 0; end++) {
      const digit = texts[end]! - ZERO;
      if (digit < 0 || digit > 9) isNumber = false;
      value = value * 10 + digit;
    }
    if (end > start) {
      const isExact = isNumber && end - start <= EXACT_DIGITS;
      this.versions[index] = isExact ? value : TEXT;
      if (!isExact) this.versionTexts.set(index, texts.toString('utf8', start, end));
    }
    return end;
  }
}

const ZERO = 0x30;
const EXACT_DIGITS = 15;
const NONE = 0;
const TEXT = -1;

/** A resourceVersion as a number if that is exact. */
function numberOf(resourceVersion: string | null): number {
  if (resourceVersion === null) return NONE;
  return resourceVersion.length <= EXACT_DIGITS && /^[1-9]\d*$/.test(resourceVersion) ? Number(resourceVersion) : TEXT;
}

/** Finds the numbers of objects by their keys. */
class Numbers {
  /** By kind and namespace, packed. */
  private readonly groupNumbers: ReadonlyMap<string, number>;
  /** The number of an object plus 1; 0 for an empty slot. */
  private readonly slots: Uint32Array;
  /** Random, so that nobody can prepare names that share a slot. */
  private readonly seed = randomInt(2 ** 32);
  private wanted = Buffer.alloc(1024);

  constructor(
    private readonly groups: readonly StateGroup[],
    private readonly groupOf: Uint32Array,
    private readonly starts: Uint32Array,
    private readonly ends: Uint32Array,
  ) {
    this.groupNumbers = new Map(groups.map(({ kind, namespace }, index) => [packKey(kind, namespace, ''), index]));
    this.slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * groupOf.length + 2)));
    for (let index = 0; index < groupOf.length; index++) {
      const group = groupOf[index]!;
      this.slots[this.slotOf(group, groups[group]!.texts, starts[index]!, ends[index]!)] = index + 1;
    }
  }

  numberOf(key: string): number {
    const nameStart = key.lastIndexOf('\0') + 1;
    const group = this.groupNumbers.get(key.slice(0, nameStart));
    if (group === undefined) return -1;
    const name = key.slice(nameStart);
    if (3 * name.length > this.wanted.length) this.wanted = Buffer.alloc(6 * name.length);
    return this.slots[this.slotOf(group, this.wanted, 0, this.wanted.write(name))]! - 1;
  }

  /** The slot of the object with a name in a group, or the empty slot for it. */
  private slotOf(group: number, bytes: Buffer, start: number, end: number): number {
    const { slots, seed, groupOf, starts, ends, groups } = this;
    const mask = slots.length - 1;
    let mixed = seed ^ Math.imul(group + 1, 0x9e3779b1);
    for (let at = start; at < end; at++) {
      mixed = Math.imul(mixed ^ bytes[at]!, 0x85ebca6b);
      mixed ^= mixed >>> 15;
    }
    mixed = Math.imul(mixed, 0xc2b2ae35);
    for (let slot = (mixed ^ (mixed >>> 16)) & mask; ; slot = (slot + 1) & mask) {
      const other = slots[slot]! - 1;
      if (other < 0) return slot;
      if (groupOf[other] !== group || ends[other]! - starts[other]! !== end - start) continue;
      const { texts } = groups[group]!;
      if (bytes.compare(texts, starts[other], ends[other], start, end) === 0) return slot;
    }
  }
}

/** A copy with at least twice the size. */
export function grown(bytes: Buffer): Buffer {
  const larger = Buffer.alloc(Math.max(bytes.length * 2, 1_024 * HASH_BYTES));
  bytes.copy(larger);
  return larger;
}

/** Reads the hashes of a revision within the caller's transaction. */
export async function loadHashes(client: ClientBase, clusterId: number, revision: number): Promise<StateHashes> {
  if (revision === 0) return StateHashes.none;
  // A row for each object would cost this thread several times as much.
  const { rows } = await client.query<StateGroup>(
    `select kind, namespace, count(*)::integer as count, string_agg(hash, '') as hashes,
            string_agg(convert_to(name, 'UTF8') || '\\x00' || convert_to(coalesce(resource_version, ''), 'UTF8'), '\\x00') as texts
     from object_versions
     where cluster_id = $1 and valid_from <= $2 and (valid_to is null or valid_to > $2)
     group by kind, namespace`,
    [clusterId, revision],
  );
  return StateHashes.of(rows);
}
