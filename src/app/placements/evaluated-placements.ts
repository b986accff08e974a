import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { EvaluatedPlacement } from './evaluated-placement.js';
import type { JsonParts } from './json-parts.js';

/** Maximum total weight of all cached evaluations and answers, in bytes, by their own rough count. */
const MAX_WEIGHT = 96 * 1024 * 1024;
/** A heavier evaluation or answer is recomputed each time. */
const GREATEST_WEIGHT = 8 * 1024 * 1024;
/** Bytes that an object takes in memory for each character of its JSON, including its compiled rules. */
const BYTES_OF_A_CHARACTER = 60;
/** In the columns. */
const BYTES_OF_A_NODE = 40;
/** Of an answer besides its JSON: its place in the cache. */
const BYTES_OF_AN_ENTRY = 500;
/** For each part that an answer shares with others: a reference, and its place. */
const BYTES_OF_A_PLACE = 16;

/** Number of requests that are remembered at least without their evaluations, and of those without their answers, over all states. */
const MAX_ASKED = 2000;
/**
 * An evaluation with this many steps (nodes times characters of the pod) is cached on its first occurrence, since it is
 * expensive to repeat.
 */
const COSTLY = 50_000_000;

interface Kept<Found> {
  readonly found: Found;
  readonly entry: Entry;
}

type OfState<Found> = Map<string, Kept<Found>>;

interface Entry {
  /** A weak reference, so that the cache keeps no state in memory. */
  readonly of: WeakRef<Map<string, unknown>>;
  readonly key: string;
  /** Grows with what is cached with it; without shared parts. */
  weight: number;
  readonly shared: readonly Buffer[];
  /** The number of requests until it was last used. */
  usedAt: number;
}

/** Parts of answers that others have, too: each counts once, as long as one of them is cached. */
class SharedParts {
  private readonly counts = new Map<Buffer, number>();
  weight = 0;

  /** The bytes by which parts would make it grow. */
  more(parts: readonly Buffer[]): number {
    let bytes = 0;
    for (const part of parts) if (!this.counts.has(part)) bytes += part.length;
    return bytes;
  }

  add(parts: readonly Buffer[]): void {
    for (const part of parts) {
      const count = this.counts.get(part) ?? 0;
      if (count === 0) this.weight += part.length;
      this.counts.set(part, count + 1);
    }
  }

  remove(parts: readonly Buffer[]): void {
    for (const part of parts) {
      const count = this.counts.get(part)!;
      if (count > 1) this.counts.set(part, count - 1);
      else if (this.counts.delete(part)) this.weight -= part.length;
    }
  }
}

/**
 * Requests of which nothing is cached, by the number of requests until they last occurred: the last ones, as many as are remembered at least, and
 * at most as many before. They go together: to remove the first entry of a Map one by one takes longer each time, until all of it is made anew.
 */
class Asked {
  private last = new Map<string, number>();
  private before = new Map<string, number>();

  /** Notes that a request occurs. @returns when it occurred before */
  note(key: string, request: number): number | undefined {
    const before = this.last.get(key) ?? this.before.get(key);
    this.last.set(key, request);
    if (this.last.size >= MAX_ASKED) {
      this.before = this.last;
      this.last = new Map();
    }
    return before;
  }

  forget(key: string): void {
    this.last.delete(key);
    this.before.delete(key);
  }
}

/**
 * Caches evaluated requests by state, so that further pages and repeated dashboard requests need no evaluation; and the JSON of answers, so
 * that a request that is repeated as it was needs no rendering either.
 *
 * Most requests occur once, and caching them costs the garbage collector more than evaluating them again, so an
 * evaluation is cached when its request occurs a second time, or if it was expensive. Where the whole request occurs a second time, with the
 * same page and options, its answer is cached in place of the evaluation: it takes less memory, and saves more. What many answers share, such
 * as the names of the nodes of a group, is in memory once. Entries go with their state: a
 * new head starts empty, and a state that is dropped for memory takes its entries along.
 *
 * All entries share one memory budget, whatever the number of states and the size of the pods; the least recently used
 * go first. If room would have to be made by an entry that was used since the request last occurred, that entry stays: of requests that
 * occur in turn, more than fit, each would otherwise be dropped before it occurs again.
 */
export class EvaluatedPlacements {
  private readonly evaluations = new WeakMap<ClusterState, OfState<EvaluatedPlacement>>();
  private readonly answers = new WeakMap<ClusterState, OfState<JsonParts>>();
  private readonly asked = new Asked();
  private readonly answered = new Asked();
  /** In the order of their use. */
  private readonly entries = new Set<Entry>();
  private readonly shared = new SharedParts();
  /** Of the entries. */
  private ofEntries = 0;
  private requests = 0;

  private get weight(): number {
    return this.ofEntries + this.shared.weight;
  }

  has(state: ClusterState, hash: string): boolean {
    return this.evaluations.get(state)?.has(hash) === true;
  }

  /** @param isAnswerKept whether the answer to the request will be cached, so that its evaluation need not be */
  get(state: ClusterState, hash: string, evaluate: () => EvaluatedPlacement, isAnswerKept = false): EvaluatedPlacement {
    this.requests++;
    const there = this.evaluations.get(state)?.get(hash);
    if (there !== undefined) return this.used(there);
    const found = evaluate();
    const before = this.asked.note(hash, this.requests);
    if (isCostly(found)) this.keepEvaluation(state, hash, found, this.requests);
    else if (before !== undefined && !isAnswerKept) this.keepEvaluation(state, hash, found, before);
    return found;
  }

  /** @param before when its request occurred before */
  keepEvaluation(state: ClusterState, hash: string, found: EvaluatedPlacement, before: number): void {
    const weight = weightOf(found);
    if (this.has(state, hash) || weight > GREATEST_WEIGHT || !this.hasRoom(weight, before)) return;
    this.asked.forget(hash);
    const entry = this.keep(this.evaluations, state, hash, found, { weight, shared: [] });
    found.whenKept((bytes) => {
      this.grow(entry, bytes);
    });
  }

  /** The JSON of an answer; undefined if it is not cached. */
  answer(state: ClusterState, key: string): JsonParts | undefined {
    const there = this.answers.get(state)?.get(key);
    if (there === undefined) return undefined;
    this.requests++;
    return this.used(there);
  }

  /** Notes a request whose answer is not cached. @returns when it occurred before; undefined if it did not */
  noteAnswer(key: string): number | undefined {
    return this.answered.note(key, this.requests);
  }

  /**
   * @param before when the request occurred before, by `noteAnswer`
   * @returns false if it has no room
   */
  keepAnswer(state: ClusterState, key: string, json: JsonParts, before: number): boolean {
    const { own, shared } = json;
    const weight = own.buffer.byteLength + key.length + BYTES_OF_AN_ENTRY + shared.length * BYTES_OF_A_PLACE;
    const whole = weight + this.shared.more(shared);
    if (whole > GREATEST_WEIGHT || !this.hasRoom(whole, before)) return false;
    this.answered.forget(key);
    this.keep(this.answers, state, key, json, { weight, shared });
    return true;
  }

  private used<Found>({ found, entry }: Kept<Found>): Found {
    entry.usedAt = this.requests;
    this.entries.delete(entry);
    this.entries.add(entry);
    return found;
  }

  private keep<Found>(
    byState: WeakMap<ClusterState, OfState<Found>>,
    state: ClusterState,
    key: string,
    found: Found,
    { weight, shared }: Pick<Entry, 'weight' | 'shared'>,
  ): Entry {
    let known = byState.get(state);
    if (known === undefined) {
      byState.set(state, (known = new Map() as OfState<Found>));
      this.forgetDropped();
    }
    const entry: Entry = { of: new WeakRef(known), key, weight, shared, usedAt: this.requests };
    const former = known.get(key)?.entry;
    if (former !== undefined) this.forget(former);
    known.set(key, { found, entry });
    this.entries.add(entry);
    this.ofEntries += weight;
    this.shared.add(shared);
    this.makeRoom();
    return entry;
  }

  private forget(entry: Entry): void {
    if (!this.entries.delete(entry)) return;
    this.ofEntries -= entry.weight;
    this.shared.remove(entry.shared);
  }

  /** Forgets what was cached of states that are no longer in memory: it would keep what their answers share. */
  private forgetDropped(): void {
    for (const entry of this.entries) if (entry.of.deref() === undefined) this.forget(entry);
  }

  private grow(entry: Entry, bytes: number): void {
    if (!this.entries.has(entry)) return;
    entry.weight += bytes;
    this.ofEntries += bytes;
    this.makeRoom();
  }

  /** Whether there is room, also by entries that were last used before a request. */
  private hasRoom(weight: number, request: number): boolean {
    let free = MAX_WEIGHT - this.weight;
    for (const entry of this.entries) {
      if (free >= weight || entry.usedAt > request) break;
      free += entry.weight;
    }
    return free >= weight;
  }

  private makeRoom(): void {
    for (const oldest of this.entries) {
      if (this.weight <= MAX_WEIGHT) return;
      this.forget(oldest);
      oldest.of.deref()?.delete(oldest.key);
    }
  }
}

const isCostly = ({ placement, podSize }: EvaluatedPlacement): boolean =>
  placement.state.nodes.count * podSize >= COSTLY;

/** The memory of an evaluation with what is cached with it by now. */
function weightOf({ placement, podSize, bytesKept }: EvaluatedPlacement): number {
  return podSize * BYTES_OF_A_CHARACTER + placement.state.nodes.count * BYTES_OF_A_NODE + bytesKept;
}
