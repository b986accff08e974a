import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { ObjectRow } from '../../core/cluster/object-row.js';
import { Slices } from '../../event-loop/slices.js';
import { readSnapshot } from '../../ingest/read-snapshot.js';
import type { ServedKind } from '../../kube-api/discover-kinds.js';
import type { StreamingClient } from '../../kube-api/reflector/call.js';
import type { Clock as ReflectorClock } from '../../kube-api/reflector/clock.js';
import type {
  ListSink,
  ObjectEvent,
  ReflectedResource,
  Reflection,
  ReflectorState,
  WireObject,
} from '../../kube-api/reflector/reflection.js';
import { Reflector } from '../../kube-api/reflector/reflector.js';
import type { CommittedDelta, DeltaPosition } from '../../storage/delta-writer.js';
import type { FollowLeases, HeldCluster } from '../../storage/follow-leases.js';
import type { FollowStore } from '../../storage/follow-store.js';
import type { DeltaDeletion } from '../../storage/plan-delta.js';
import { StorageError } from '../../storage/storage-error.js';
import { traced } from '../../tracing/tracing.js';
import { ServiceError } from '../errors/service-error.js';
import type { TakeDelta } from '../snapshots/take-delta.js';
import type { TakeSnapshot } from '../snapshots/take-snapshot.js';
import type { FollowStatus, KindStatus, StatusMarks } from './follow-status.js';
import { KindMirror } from './kind-mirror.js';
import { ListedKinds } from './listed-kinds.js';
import { Semaphore } from '../../event-loop/semaphore.js';
import { SharedSlice } from '../../event-loop/shared-slice.js';

/** What an API server says of itself. */
export interface ServedCluster {
  readonly served: readonly ServedKind[];
  /** `v1.34.1`; null if it does not say. */
  readonly version: string | null;
}

/** What the followers of a process share. */
export interface FollowerShares {
  /** For what followers read of the database when they begin: a service that starts begins with all clusters at once. */
  readonly starts: Semaphore;
  /** For the lists of clusters; those of one cluster are one turn. */
  readonly turns: Semaphore;
  /** For the commits of clusters: what changes while one waits is stored with it. */
  readonly commits: Semaphore;
  /** Changes of all clusters that are not stored yet. */
  readonly unstored: Unstored;
  /** In which events are read: those that have come may be many, and nothing else would happen meanwhile. */
  readonly reading: SharedSlice;
}

/** Followers that read what is stored of their clusters at the same time. */
const MOST_STARTED = 4;
/** Clusters that are listed at the same time; what is listed takes memory and a connection of the database. */
const MOST_LISTED = 2;
/** Clusters whose changes are stored at the same time. */
const MOST_COMMITTED = 4;
/** Of changes of all clusters that are not stored yet. */
const MOST_UNSTORED_BYTES = 256 * 1024 * 1024;

export const followerShares = (): FollowerShares => ({
  starts: new Semaphore(MOST_STARTED),
  turns: new Semaphore(MOST_LISTED),
  commits: new Semaphore(MOST_COMMITTED),
  unstored: { bytes: 0, mostBytes: MOST_UNSTORED_BYTES },
  reading: new SharedSlice(),
});

/** What a follower works with. */
export interface FollowerTools extends FollowerShares {
  readonly snapshots: Pick<TakeSnapshot, 'take'>;
  readonly deltas: Pick<TakeDelta, 'takeRows'>;
  readonly follows: Pick<FollowStore, 'deltaState'>;
  readonly leases: Pick<FollowLeases, 'storedObjects'>;
  readonly clock: ReflectorClock;
  readonly random: () => number;
  /** Milliseconds in which changes are collected into one revision. */
  readonly coalesceMs: number;
  readonly counts: { events(events: number): void; relist(): void };
  /** Counts how often the status of the follower has changed. */
  readonly marks?: StatusMarks;
}

export interface Unstored {
  bytes: number;
  /** While there are more, each cluster reads on once what it has read is being stored. */
  readonly mostBytes: number;
}

/** The author of what is followed. */
const AUTHOR = 'kube-placement';
const PAGE_SIZE = 500;
/** Objects that changed and are not stored yet; the reading of events waits while there are more. */
const MOST_PENDING = 5_000;
const MOST_PENDING_BYTES = 32 * 1024 * 1024;
/** Of changes that are read in this thread: reading them takes it a few milliseconds. */
const MOST_SMALL_BYTES = 256 * 1024;
/** Positions are stored this often where nothing changes, in milliseconds. */
const POSITIONS_EVERY = 15_000;
/** Tries of a kind that fails until the first snapshot of the others does not wait for it any longer. */
const PATIENCE = 3;
const RETRY_FIRST = 500;
const RETRY_MOST = 15_000;
/** Leases of nodes; those of other namespaces are elections. */
const LEASE_NAMESPACE = 'kube-node-lease';

interface PendingObject {
  readonly type: ObjectEvent;
  readonly object: WireObject;
}

interface FollowedKind {
  readonly served: ServedKind;
  mirror: KindMirror;
  readonly pending: Map<string, PendingObject>;
  /** While it is listed, its events and positions are not of the objects that are stored. */
  isListing: boolean;
  /** Whether it is to be listed as soon as it is the cluster's turn. */
  waits: boolean;
  position: string | null;
  sentPosition: string | null;
  lastSeenAt: Date | null;
  state: ReflectorState | undefined;
  failures: number;
  stop: AbortController;
}

/**
 * Keeps the head of one cluster equal to its API server: lists what is not stored yet as one snapshot, and stores what changes as
 * deltas, collected over a time. It ends by its signal, or with the error that keeps it from going on; it goes on from what is stored.
 */
export class ClusterFollower {
  private readonly kinds: readonly FollowedKind[];
  private readonly stream = randomUUID();
  private sequence = 0;
  private sentAt = 0;
  private pendingBytes = 0;
  private drained: (() => void)[] = [];
  private stirred: (() => void) | undefined;
  private flushing: Promise<void> = Promise.resolve();
  /** Ends the turn in which it commits. */
  private endCommit: (() => void) | undefined;
  /** Kinds whose mirrors are to be loaded, and the load, which begins when all that have just been listed are among them. */
  private unloaded: FollowedKind[] = [];
  private loading: Promise<void> | undefined;
  private first: ListedKinds | undefined;
  /** Lists that are being read, and the turn in which they are. */
  private listing = 0;
  private turn: Promise<(() => void) | undefined> | undefined;
  private readonly since: Date;
  private readonly ofApiServer: { readonly apiServerVersion?: string };
  private readonly marks: StatusMarks;
  /** Aborted when it ends. */
  private readonly ending = new AbortController();

  constructor(
    private readonly cluster: HeldCluster,
    private readonly holder: string,
    { served, version }: ServedCluster,
    private readonly client: StreamingClient,
    private readonly tools: FollowerTools,
  ) {
    this.since = this.now();
    this.marks = tools.marks ?? { states: 0, moves: 0 };
    this.ofApiServer = version === null ? {} : { apiServerVersion: version };
    this.kinds = served.map((one) => ({
      served: one,
      mirror: new KindMirror(),
      pending: new Map(),
      isListing: false,
      waits: false,
      position: null,
      sentPosition: null,
      lastSeenAt: null,
      state: undefined,
      failures: 0,
      stop: new AbortController(),
    }));
  }

  get status(): FollowStatus {
    return { since: this.since.toISOString(), message: null, kinds: this.kinds.map(statusOf) };
  }

  /** Resolves when the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const own = this.ending;
    // Each kind listens to it.
    setMaxListeners(0, own.signal);
    const stop = (): void => {
      own.abort();
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    try {
      const endStart = await this.tools.starts.take(signal);
      if (endStart === undefined) return;
      try {
        await this.resume();
      } finally {
        endStart();
      }
      const work = [...this.kinds.map((kind) => this.follow(kind, own.signal)), this.commitChanges(own.signal)];
      try {
        await Promise.race([...work, aborted(own.signal)]);
      } finally {
        stop();
        // Who waits with an event until others are stored, or with a list until others are read, must see that nothing is any longer.
        this.wake();
        this.first?.end();
        await Promise.allSettled(work);
      }
    } finally {
      signal.removeEventListener('abort', stop);
      this.notePending(-this.pendingBytes);
      // Also that of a list which ended with an error.
      void this.turn?.then((end) => end?.());
    }
  }

  /** Goes on from what is stored, where it is known how far that is. */
  private async resume(): Promise<void> {
    const { positions } = await this.tools.follows.deltaState(this.cluster.id);
    const known = new Map(positions.map((position) => [position.kind, position]));
    for (const kind of this.kinds) {
      const stored = known.get(kind.served.kind);
      if (stored === undefined || stored.snapshotNeeded) continue;
      kind.position = stored.resourceVersion;
      kind.sentPosition = stored.resourceVersion;
    }
    await this.loadMirrors(this.kinds.filter(({ position }) => position !== null));
    const unknown = this.kinds.filter(({ position }) => position === null);
    if (unknown.length === 0) return;
    this.first = new ListedKinds(
      unknown.map(({ served }) => served.kind),
      (bytes) => this.storeSnapshot(bytes),
    );
  }

  /** The kinds of a cluster that is listed for the first time are stored at once, and their mirrors read at once. */
  private loadMirror(kind: FollowedKind): Promise<void> {
    this.unloaded.push(kind);
    this.loading ??= nextTurn().then(() => {
      const kinds = this.unloaded;
      this.unloaded = [];
      this.loading = undefined;
      return this.loadMirrors(kinds);
    });
    return this.loading;
  }

  private async loadMirrors(kinds: readonly FollowedKind[]): Promise<void> {
    if (kinds.length === 0) return;
    const mirrors = new Map(kinds.map(({ served }) => [served.kind as string, new KindMirror()]));
    await this.tools.leases.storedObjects(
      this.cluster.id,
      [...mirrors.keys()],
      ({ kind, namespace, name, ...rest }) => {
        mirrors.get(kind)!.set(namespace, name, rest);
      },
    );
    for (const kind of kinds) kind.mirror = mirrors.get(kind.served.kind)!;
  }

  /** Reflects a kind, again from the start whenever a snapshot of it is needed. */
  private async follow(kind: FollowedKind, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.tools;
    while (!signal.aborted) {
      kind.stop = new AbortController();
      const stop = (): void => {
        kind.stop.abort();
      };
      signal.addEventListener('abort', stop, { once: true });
      const reflector = new Reflector(this.client, resourceOf(kind.served), {
        clock,
        random,
        pageSize: PAGE_SIZE,
        // Lists are read as fast as they are stored: a page may wait, a watch that waits is ended by the server.
        watchList: 'never',
        ...(kind.position !== null && { resumeFrom: kind.position }),
      });
      try {
        await reflector.run(this.reflection(kind), kind.stop.signal);
      } finally {
        signal.removeEventListener('abort', stop);
      }
    }
  }

  private reflection(kind: FollowedKind): Reflection {
    const { signal } = kind.stop;
    return {
      beginList: async () => {
        await this.takeTurn(kind);
        return this.beginList(kind);
      },
      event: (type, object) => this.take(kind, type, object),
      progress: (resourceVersion, at) => {
        // It is to be listed anew: it has no position.
        if (signal.aborted) return;
        kind.position = resourceVersion;
        kind.lastSeenAt = at;
        this.marks.moves += 1;
      },
      state: (state) => {
        if (isOtherState(state, kind.state)) this.marks.states += 1;
        else this.marks.moves += 1;
        kind.state = state;
        this.noteState(kind, state);
      },
    };
  }

  private noteState(kind: FollowedKind, { state }: ReflectorState): void {
    if (state === 'watching') kind.failures = 0;
    if (this.first?.awaits(kind.served.kind) !== true) return;
    if (state === 'denied' || state === 'notServed') this.first.leaveOut(kind.served.kind);
    if (state === 'retrying' && (kind.failures += 1) >= PATIENCE && this.first.hasAny) {
      this.first.leaveOut(kind.served.kind);
    }
  }

  private beginList(kind: FollowedKind): ListSink {
    const { served } = kind;
    const isFirst = this.first?.awaits(served.kind) === true;
    if (!isFirst) this.tools.counts.relist();
    const lists = isFirst ? this.first! : new ListedKinds([served.kind], (bytes) => this.storeSnapshot(bytes));
    const sink = lists.sink(served);
    kind.isListing = true;
    // They are older than the list.
    kind.pending.clear();
    return {
      ...sink,
      commit: async (resourceVersion) => {
        await sink.commit(resourceVersion);
        this.leaveTurn();
        await this.flushing;
        await this.loadMirror(kind);
        kind.sentPosition = resourceVersion;
        kind.isListing = false;
      },
      discard: async (why) => {
        this.leaveTurn();
        await sink.discard(why);
      },
    };
  }

  /** Waits until the cluster may be listed, unless another kind of it is being listed. */
  private async takeTurn(kind: FollowedKind): Promise<void> {
    const { signal } = kind.stop;
    this.listing += 1;
    this.turn ??= this.tools.turns.take(this.ending.signal);
    kind.waits = true;
    this.marks.states += 1;
    try {
      await Promise.race([this.turn, aborted(signal)]);
    } finally {
      kind.waits = false;
      this.marks.states += 1;
    }
    if (!signal.aborted) return;
    this.leaveTurn();
    signal.throwIfAborted();
  }

  /** After the last list of the cluster others have their turn. */
  private leaveTurn(): void {
    this.listing -= 1;
    if (this.listing > 0) return;
    const { turn } = this;
    this.turn = undefined;
    void turn?.then((end) => end?.());
  }

  private async storeSnapshot(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    await this.tools.snapshots.take(
      {
        cluster: this.cluster.name,
        source: 'follower',
        invalid: 'keep',
        allowRemovals: true,
        ...this.ofApiServer,
        body: { bytes, contentType: 'application/x-ndjson' },
      },
      { now: this.now(), author: AUTHOR, sender: `follower ${this.cluster.name}`, lease: this.holder },
    );
  }

  private async take(kind: FollowedKind, type: ObjectEvent, object: WireObject): Promise<void> {
    const { reading } = this.tools;
    const { signal } = kind.stop;
    if (reading.isOver) await reading.pause();
    // It is listed anew instead.
    if (signal.aborted) return;
    const key = `${object.namespace}/${object.name}`;
    const bytes = type === 'DELETED' ? new Uint8Array(0) : new Uint8Array(object.bytes);
    this.tools.counts.events(1);
    this.notePending(bytes.length - (kind.pending.get(key)?.object.bytes.length ?? 0));
    kind.pending.set(key, { type, object: { ...object, bytes } });
    // What is stored before the reader goes on has this event.
    kind.position = object.resourceVersion;
    this.stirred?.();
    while (this.isFull && !signal.aborted) {
      await new Promise<void>((resolve) => this.drained.push(resolve));
    }
  }

  private get isFull(): boolean {
    const pending = this.kinds.reduce((sum, kind) => sum + kind.pending.size, 0);
    const { bytes, mostBytes } = this.tools.unstored;
    const isMuch = pending > MOST_PENDING || this.pendingBytes > MOST_PENDING_BYTES;
    return isMuch || (this.pendingBytes > 0 && bytes > mostBytes);
  }

  private notePending(bytes: number): void {
    this.pendingBytes += bytes;
    this.tools.unstored.bytes += bytes;
  }

  private async commitChanges(signal: AbortSignal): Promise<void> {
    try {
      for (let flushedAt = -Infinity; ; flushedAt = performance.now()) {
        await this.isStirred(signal);
        // What comes first after a while is stored at once, then what comes within the time together.
        const wait = flushedAt + this.tools.coalesceMs - performance.now();
        if (wait > 0) await sleep(wait, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return;
        this.endCommit = await this.tools.commits.take(signal);
        if (this.endCommit === undefined) return;
        this.flushing = this.flush(signal);
        await this.flushing;
        this.endCommit();
      }
    } finally {
      this.endCommit?.();
      this.wake();
    }
  }

  /** Waits until something has come, or positions are to be stored. */
  private async isStirred(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.kinds.some(({ pending }) => pending.size > 0)) return;
    await new Promise<void>((resolve) => {
      const stir = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stir);
        this.stirred = undefined;
        resolve();
      };
      const timer = setTimeout(stir, POSITIONS_EVERY);
      signal.addEventListener('abort', stir, { once: true });
      this.stirred = stir;
    });
  }

  private wake(): void {
    const { drained } = this;
    this.drained = [];
    for (const wake of drained) wake();
  }

  /** Stores what has come since the last time. */
  private async flush(signal: AbortSignal): Promise<void> {
    const moved = this.kinds.filter(
      ({ position, sentPosition, isListing }) => !isListing && position !== null && position !== sentPosition,
    );
    const hasChanges = this.kinds.some(({ pending, isListing }) => !isListing && pending.size > 0);
    const now = this.tools.clock.now();
    // A clock that was set back says nothing about how long ago that was.
    const isEarly = Math.abs(now - this.sentAt) < POSITIONS_EVERY;
    if (!hasChanges && (moved.length === 0 || isEarly)) return;
    const positions = new Map(moved.map((kind) => [kind, kind.position!]));
    const pending = this.kinds.flatMap((kind) =>
      kind.isListing ? [] : [...kind.pending.values()].map((one) => ({ kind, ...one })),
    );
    for (const kind of this.kinds) if (!kind.isListing) kind.pending.clear();
    this.notePending(-this.pendingBytes);
    const rows = await this.changedRows(pending);
    const deletions = this.goneObjects(pending);
    this.wake();
    if (rows.length === 0 && deletions.length === 0 && isEarly) return;
    this.sentAt = now;
    const settled = [...positions].filter(([{ isListing }]) => !isListing);
    const delta = {
      cluster: this.cluster.name,
      stream: this.stream,
      sequence: (this.sequence += 1),
      capturedAt: this.currentAt(rows.length + deletions.length > 0),
      rows,
      deletions,
      positions: settled.map(([{ served, mirror }, resourceVersion]): DeltaPosition => {
        return { kind: served.kind, resourceVersion, count: mirror.count, hash: mirror.hash };
      }),
      allowRemovals: true,
      ...this.ofApiServer,
      lease: this.holder,
    };
    const committed = await this.retried(
      () =>
        traced(
          'commit followed changes',
          () => this.tools.deltas.takeRows(delta, { now: this.now(), author: AUTHOR }),
          {
            attributes: () => ({
              'kube_placement.cluster': delta.cluster,
              'kube_placement.rows': rows.length,
              'kube_placement.deletions': deletions.length,
            }),
          },
        ),
      signal,
    );
    if (committed === undefined) return;
    for (const [kind, position] of settled) kind.sentPosition = position;
    this.listAnew(committed);
  }

  /** The rows that differ from what is stored, as they will be stored. */
  private async changedRows(
    pending: readonly (PendingObject & { readonly kind: FollowedKind })[],
  ): Promise<readonly ObjectRow[]> {
    const upserts = pending.filter(({ type }) => type !== 'DELETED');
    if (upserts.length === 0) return [];
    const kinds = new Map(this.kinds.map((kind) => [kind.served.kind as string, kind]));
    const rows: ObjectRow[] = [];
    const reading = readSnapshot(linesOf(upserts), {
      contentType: 'application/x-ndjson',
      invalid: 'keep',
      sender: `follower ${this.cluster.name}`,
      isSmall: upserts.reduce((sum, { object }) => sum + object.bytes.length, 0) <= MOST_SMALL_BYTES,
    });
    for await (const batch of reading.rows) rows.push(...batch);
    await reading.report;
    const changed: ObjectRow[] = [];
    const slices = new Slices();
    for (const row of rows) {
      if (slices.due()) await slices.pause();
      const { mirror } = kinds.get(row.kind)!;
      const hash = Buffer.from(row.hash).toString('hex');
      if (mirror.holds(row.namespace, row.name, { uid: row.uid, hash })) continue;
      mirror.set(row.namespace, row.name, { uid: row.uid, resourceVersion: row.resourceVersion, hash });
      changed.push(row);
    }
    return changed;
  }

  private goneObjects(pending: readonly (PendingObject & { readonly kind: FollowedKind })[]): readonly DeltaDeletion[] {
    return pending.flatMap(({ kind, type, object: { namespace, name, uid, resourceVersion } }) => {
      if (type !== 'DELETED' || !kind.mirror.has(namespace, name)) return [];
      kind.mirror.delete(namespace, name);
      return [{ kind: kind.served.kind, namespace, name, uid, resourceVersion }];
    });
  }

  /** The time up to which all that is stored is known: now, unless a watch is broken. */
  private currentAt(hasChanges: boolean): Date {
    const now = this.tools.clock.now();
    const seen = this.kinds.flatMap(({ state, lastSeenAt }) => {
      if (lastSeenAt === null) return [];
      return hasChanges && state?.state === 'watching' ? [] : [lastSeenAt.getTime()];
    });
    return new Date(Math.min(now, ...seen));
  }

  private listAnew({ snapshotNeeded, positions }: CommittedDelta): void {
    const needed = new Set(snapshotNeeded);
    for (const { kind, agrees } of positions) if (agrees === false) needed.add(kind);
    this.begin(needed);
  }

  private begin(kinds: ReadonlySet<string>): void {
    for (const kind of this.kinds) {
      if (!kinds.has(kind.served.kind) || kind.isListing) continue;
      kind.position = null;
      this.marks.moves += 1;
      kind.stop.abort();
    }
    this.wake();
  }

  /** Tries again while the database is away. Undefined if kinds are listed anew instead. */
  private async retried(
    commit: () => Promise<CommittedDelta>,
    signal: AbortSignal,
  ): Promise<CommittedDelta | undefined> {
    for (let wait = RETRY_FIRST; ; wait = Math.min(2 * wait, RETRY_MOST)) {
      try {
        return await commit();
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'snapshot-needed') {
          this.sequence -= 1;
          this.begin(new Set(error.details.map((detail) => String((detail as { kind?: unknown }).kind))));
          return undefined;
        }
        if (!(error instanceof StorageError) || !/^Storage/.test(error.code) || signal.aborted) throw error;
        // Meanwhile others commit, whose part of the database may be there.
        this.endCommit?.();
        await sleep(wait, undefined, { signal }).catch(() => undefined);
        this.endCommit = await this.tools.commits.take(signal);
      }
    }
  }

  private now(): Date {
    return new Date(this.tools.clock.now());
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

async function* linesOf(pending: readonly PendingObject[]): AsyncGenerator<Uint8Array, void> {
  const lineFeed = new Uint8Array([0x0a]);
  for (const { object } of pending) {
    yield object.bytes;
    yield await Promise.resolve(lineFeed);
  }
}

function resourceOf({ kind, servedAs, group, version, plural }: ServedKind): ReflectedResource {
  const resource = { kind: servedAs, group, version, plural };
  return kind === 'Lease' ? { ...resource, namespace: LEASE_NAMESPACE } : resource;
}

/** Whether more than times have changed. A rule belongs to its kind, and to its message. */
const isOtherState = (state: ReflectorState, former: ReflectorState | undefined): boolean =>
  state.state !== former?.state || whyOf(state) !== whyOf(former);

const whyOf = (state: ReflectorState): string | null => ('why' in state ? state.why : null);

/** Why a kind that is to be listed is not. */
const WAITS = 'other clusters are being listed; it is listed after them';

function statusOf({ served, state, position, lastSeenAt, waits }: FollowedKind): KindStatus {
  return {
    kind: served.kind,
    state: state?.state ?? 'listing',
    since: (state?.since ?? new Date(0)).toISOString(),
    resourceVersion: position,
    lastSeenAt: lastSeenAt?.toISOString() ?? null,
    message: (state === undefined ? null : whyOf(state)) ?? (waits ? WAITS : null),
    nextTry: state !== undefined && 'nextTry' in state ? state.nextTry.toISOString() : null,
    rule: state?.state === 'denied' ? state.rule : null,
  };
}
