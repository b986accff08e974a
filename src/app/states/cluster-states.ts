import { ClusterStateBuilder, type ClusterState } from '../../core/cluster/cluster-state.js';
import { parseJson } from '../../core/json/lossless-json.js';
import type { KeptKind } from '../../core/kubernetes/kinds.js';
import type { KubernetesRules } from '../../core/kubernetes/kubernetes-rules.js';
import type { KubernetesObject } from '../../core/kubernetes/objects/meta.js';
import type { ObjectReader, StoredObject } from '../../storage/object-reader.js';
import { Semaphore } from '../../event-loop/semaphore.js';
import { RevisionNotFound } from '../../storage/storage-error.js';
import { LARGEST_REVISION } from '../../storage/revision.js';
import { orCancelled } from '../or-cancelled.js';
import { runSteps } from './run-steps.js';
import type { LoadedState, RestoredState, StateImages } from './state-images.js';
import { type Asker, LOADING, TimeSlices } from './time-slices.js';

/** Identifies a state: a revision of a cluster with its complete kinds, under the rules of a version of Kubernetes. */
export interface StateKey {
  readonly clusterId: number;
  readonly revision: number;
  readonly loadedKinds: readonly string[];
  readonly rules: KubernetesRules;
}

/** How a state was created, for the metrics. */
export type LoadKind = 'full' | 'image' | 'delta';

export interface ClusterStatesOptions {
  /**
   * States beyond this many bytes (by their own rough count) are dropped, least recently used first; one always stays.
   */
  readonly budgetBytes: number;
  readonly onLoad?: (kind: LoadKind, seconds: number) => void;
  /** A state is reloaded completely after this many small deltas. */
  readonly mostDeltas?: number;
  /** What a state is loaded from if no other of the cluster is in memory; absent: from its objects. */
  readonly images?: Pick<StateImages, 'restore' | 'note' | 'caughtUp' | 'lookAgain' | 'forget' | 'made'>;
}

interface Entry {
  readonly clusterId: number;
  readonly revision: number;
  loading: Promise<ClusterState>;
  /** Set once the state is loaded. */
  state?: ClusterState;
  /** That with which the state counts. */
  bytes: number;
  readonly lineage: Lineage;
  /** The number of uses until its last one. */
  usedAt: number;
  /** Whether it has been used since it was loaded. */
  isUsedAgain: boolean;
}

interface Following {
  newest: StateKey;
  work: Promise<void>;
}

interface Lineage {
  /** The number of deltas since a complete load; large ones count more. */
  deltas: number;
}

/**
 * A state is reloaded completely, in the background, after this many deltas in a row: states created from each other
 * share tables, which also keep what only the oldest of them needed.
 */
const MAX_DELTAS = 200 * 50;

/** The weight of a delta with few objects, which retains little memory, relative to that of a snapshot. */
const SMALL = 100;
const SMALL_DELTA = 1;
const LARGE_DELTA = 50;

/** Each complete load holds a connection until its last object is read; the pool has to have others left. */
const MOST_FULL_LOADS = 3;

/**
 * Caches loaded states while memory allows.
 *
 * Concurrent requests for a state share its load. If another revision is loaded or being loaded, a state is created from
 * it by the changes between the two, so that a new head costs as much as its changes. Loading runs in time slices.
 *
 * If room would have to be made by a state that was used since the cluster of a loaded one was last asked for, that state stays, and the
 * loaded one is the first to go: of clusters that are asked in turn, more than fit, each would otherwise be dropped before it is asked again.
 */
export class ClusterStates {
  /** In order of use, least recent first. */
  private readonly entries = new Map<string, Entry>();
  /** The names of loaded states that go before all others, unless they are used again. */
  private readonly passing = new Set<string>();
  /** By cluster, the number of uses until it was last asked for. */
  private readonly askedAt = new Map<number, number>();
  private uses = 0;
  /** The same by cluster and name. */
  private readonly ofClusters = new Map<number, Map<string, Entry>>();
  /** The sums over the loaded ones. */
  private total = { states: 0, bytes: 0 };
  /** Clusters with a state that is being reloaded completely. */
  private readonly renewing = new Set<number>();
  /** The complete load of a cluster that other revisions wait for, by its id; resolves whether or not it succeeds. */
  private readonly fullLoads = new Map<number, Promise<void>>();
  /** The clusters whose new head is being loaded, by id. */
  private readonly following = new Map<number, Following>();
  private readonly slots = new Semaphore(MOST_FULL_LOADS);

  constructor(
    private readonly reader: Pick<ObjectReader, 'stream' | 'changesBetween'>,
    private readonly options: ClusterStatesOptions,
  ) {}

  /**
   * @throws {RevisionNotFound} the revision, or its cluster, does not exist
   * @throws {ServiceError} `cancelled` if the signal of `asker` is aborted first; the load continues for other requests
   */
  async get(key: StateKey, asker?: Asker): Promise<ClusterState> {
    const name = nameOf(key);
    const entry = this.entries.get(name) ?? this.begin(name, key);
    this.use(name, entry);
    if (entry.state === undefined) return orCancelled(entry.loading, asker?.signal);
    entry.isUsedAgain = true;
    this.passing.delete(name);
    this.measure(name, entry, entry.state);
    return entry.state;
  }

  private use(name: string, entry: Entry): void {
    this.entries.delete(name);
    this.entries.set(name, entry);
    entry.usedAt = ++this.uses;
    this.askedAt.set(entry.clusterId, entry.usedAt);
  }

  /** Adds a state that was created from a loaded one by the changes between their revisions. */
  adopt(key: StateKey, state: ClusterState, madeOf: ClusterState): void {
    const name = nameOf(key);
    const known = this.entries.get(name);
    if (known !== undefined) {
      // Another request is already loading it.
      this.setState(name, known, state);
      return;
    }
    const { clusterId, revision } = key;
    const former = this.entriesOf(clusterId).find((entry) => entry.state === madeOf);
    const lineage = { deltas: (former?.lineage.deltas ?? 0) + SMALL_DELTA };
    const loading = Promise.resolve(state);
    const entry: Entry = { clusterId, revision, lineage, loading, bytes: 0, usedAt: ++this.uses, isUsedAgain: false };
    this.add(name, entry);
    this.setState(name, entry, state);
    this.evict(name);
    this.noteForImage(key, state, SMALL_DELTA);
  }

  /**
   * Loads the new head of a cluster that has a loaded state, so that the next request finds it. Heads that come faster than they
   * can be loaded are skipped, except the newest.
   */
  async follow(key: StateKey): Promise<void> {
    const { clusterId } = key;
    if (!this.knows(clusterId)) return;
    const running = this.following.get(clusterId);
    if (running !== undefined) {
      if (key.revision > running.newest.revision) running.newest = key;
      return running.work;
    }
    const following = { newest: key, work: Promise.resolve() };
    this.following.set(clusterId, following);
    following.work = this.followNewest(following).finally(() => this.following.delete(clusterId));
    return following.work;
  }

  private async followNewest(following: Pick<Following, 'newest'>): Promise<void> {
    for (;;) {
      const key = following.newest;
      try {
        await this.get(key);
      } catch (error) {
        if (following.newest === key) throw error;
      }
      if (following.newest === key) return;
    }
  }

  /** Whether a state is loaded or being loaded. */
  has(key: StateKey): boolean {
    return this.entries.has(nameOf(key));
  }

  /** Whether a state of the cluster is loaded or being loaded. */
  knows(clusterId: number): boolean {
    return this.ofClusters.has(clusterId);
  }

  /** Makes an image of a state if that is worth it and none is stored, of one in memory, too. @throws as `get` */
  async keepImage(key: StateKey): Promise<void> {
    const state = await this.get(key);
    this.options.images?.lookAgain(key.clusterId);
    this.noteForImage(key, state, 0);
    await this.options.images?.made();
  }

  /** Drops the states of a cluster to make room, as if they had not been used for long. */
  release(clusterId: number): void {
    for (const [name, { state }] of this.ofClusters.get(clusterId) ?? []) if (state !== undefined) this.remove(name);
  }

  /** Drops every state of a cluster. */
  forget(clusterId: number): void {
    for (const name of this.ofClusters.get(clusterId)?.keys() ?? []) this.remove(name);
    this.askedAt.delete(clusterId);
    this.options.images?.forget(clusterId);
  }

  /** The number of loaded states and their approximate bytes. */
  loaded(): { readonly states: number; readonly bytes: number } {
    return { ...this.total };
  }

  private entriesOf(clusterId: number): readonly Entry[] {
    return [...(this.ofClusters.get(clusterId)?.values() ?? [])];
  }

  private add(name: string, entry: Entry): void {
    this.entries.set(name, entry);
    const ofCluster = this.ofClusters.get(entry.clusterId);
    if (ofCluster === undefined) this.ofClusters.set(entry.clusterId, new Map([[name, entry]]));
    else ofCluster.set(name, entry);
  }

  private remove(name: string): void {
    const entry = this.entries.get(name);
    if (entry === undefined) return;
    this.entries.delete(name);
    this.passing.delete(name);
    const ofCluster = this.ofClusters.get(entry.clusterId)!;
    ofCluster.delete(name);
    if (ofCluster.size === 0) this.ofClusters.delete(entry.clusterId);
    if (entry.state !== undefined) this.count(-1, -entry.bytes);
  }

  private setState(name: string, entry: Entry, state: ClusterState): void {
    const former = entry.state;
    entry.state = state;
    entry.loading = Promise.resolve(state);
    // One that was dropped while it was loaded serves those who wait for it.
    if (this.entries.get(name) !== entry) return;
    const bytes = state.approximateBytes;
    this.count(former === undefined ? 1 : 0, bytes - (former === undefined ? 0 : entry.bytes));
    entry.bytes = bytes;
  }

  /** Counts a state anew when it is used: what questions read of it stays in memory. */
  private measure(name: string, entry: Entry, state: ClusterState): void {
    const bytes = state.approximateBytes;
    if (bytes === entry.bytes) return;
    this.count(0, bytes - entry.bytes);
    entry.bytes = bytes;
    this.evict(name);
  }

  private count(states: number, bytes: number): void {
    this.total = { states: this.total.states + states, bytes: this.total.bytes + bytes };
  }

  private begin(name: string, key: StateKey): Entry {
    const lineage = { deltas: 0 };
    const { clusterId, revision } = key;
    const askedAt = this.askedAt.get(clusterId);
    const entry: Entry = {
      clusterId,
      revision,
      lineage,
      loading: this.load(key, lineage, (state) => {
        if (entry.state !== undefined) return;
        this.setState(name, entry, state);
        if (this.isPassing(name, entry, askedAt)) this.passing.add(name);
      }),
      bytes: 0,
      usedAt: this.uses,
      isUsedAgain: false,
    };
    this.add(name, entry);
    entry.loading.then(
      () => {
        this.evict(name);
        if (lineage.deltas >= (this.options.mostDeltas ?? MAX_DELTAS)) void this.renew(name, entry, key);
      },
      () => {
        if (this.entries.get(name) === entry) this.remove(name);
      },
    );
    return entry;
  }

  /** @param loaded called with the state before other loads of the cluster go on */
  private async load(key: StateKey, lineage: Lineage, loaded: (state: ClusterState) => void): Promise<ClusterState> {
    const started = performance.now();
    const done = (kind: LoadKind): void => this.options.onLoad?.(kind, (performance.now() - started) / 1000);
    for (;;) {
      const base = this.nearest(key);
      const made = base === undefined ? undefined : await this.loadDelta(base, key);
      if (made !== undefined) {
        const weight = made.changed > SMALL ? LARGE_DELTA : SMALL_DELTA;
        lineage.deltas = made.rebuilt ? 0 : base!.lineage.deltas + weight;
        loaded(made.state);
        this.noteForImage(key, made.state, made.changed);
        done('delta');
        return made.state;
      }
      const other = this.fullLoads.get(key.clusterId);
      if (other === undefined) break;
      await other;
    }
    let over!: () => void;
    this.fullLoads.set(key.clusterId, new Promise((resolve) => (over = resolve)));
    try {
      const restored = await this.loadImage(key, lineage);
      const state = restored?.state ?? (await this.loadWithoutImage(key));
      loaded(state);
      done(restored === undefined ? 'full' : 'image');
      this.noteForImage(key, state, restored?.changed);
      return state;
    } finally {
      this.fullLoads.delete(key.clusterId);
      over();
    }
  }

  /** The loaded state of the same cluster with the nearest revision; of those under other rules only if there is no other. */
  private nearest(key: StateKey): Base | undefined {
    let best: { readonly base: Base; readonly distance: number } | undefined;
    for (const { revision, state, lineage } of this.entriesOf(key.clusterId)) {
      if (state === undefined) continue;
      const distance = Math.abs(revision - key.revision) + (state.rules === key.rules ? 0 : LARGEST_REVISION);
      if (best === undefined || distance < best.distance) best = { base: { revision, state, lineage }, distance };
    }
    return best?.base;
  }

  /** Replaces a state created from many deltas with a complete load; a failed load changes nothing. */
  private async renew(name: string, entry: Entry, key: StateKey): Promise<void> {
    if (this.renewing.has(key.clusterId)) return;
    this.renewing.add(key.clusterId);
    const state = await this.loadFull(key).catch(() => undefined);
    this.renewing.delete(key.clusterId);
    if (state === undefined || this.entries.get(name) !== entry) return;
    this.setState(name, entry, state);
    entry.lineage.deltas = 0;
  }

  /** @param changed undefined if it was loaded from its objects: such a state is not let go before its image is made, and the next wait for that */
  private noteForImage(key: StateKey, state: ClusterState, changed?: number): void {
    const name = nameOf(key);
    const current = (): ClusterState | undefined => this.entries.get(name)?.state;
    const replace: LoadedState['replace'] = (large, restore) => this.replace(name, large, restore);
    const { size } = state;
    this.options.images?.note(key, { size, current: changed === undefined ? () => state : current, replace }, changed);
  }

  /**
   * Keeps a state as its image restores it, in a fraction of the memory, unless it is in use: then it has what questions have read and
   * computed, which they would pay again.
   */
  private async replace(name: string, large: ClusterState, restore: () => Promise<ClusterState>): Promise<void> {
    const isIdle = (entry: Entry | undefined): entry is Entry =>
      entry?.state === large && !entry.isUsedAgain && this.ofClusters.get(entry.clusterId)!.size === 1;
    if (!isIdle(this.entries.get(name))) return;
    const restored = await restore();
    const entry = this.entries.get(name);
    if (!isIdle(entry)) return;
    this.setState(name, entry, restored);
    entry.lineage.deltas = 0;
  }

  private async loadDelta(base: Base, key: StateKey): Promise<Loaded | undefined> {
    // A state can gain complete kinds but not lose them, and an older revision may have fewer.
    if ([...base.state.loadedKinds].some((kind) => !key.loadedKinds.includes(kind))) return undefined;
    try {
      const changes = await this.reader.changesBetween(key.clusterId, base.revision, key.revision);
      const upserts: KubernetesObject[] = [];
      const slices = new TimeSlices(LOADING);
      for (const row of changes.upserts) {
        if (slices.due()) await slices.pause();
        upserts.push(objectOf(row));
      }
      const { deletes } = changes;
      const made = await runSteps(base.state.stepApply({ upserts, deletes, loadedKinds: kindsOf(key) }), slices);
      if (made.rules !== key.rules) {
        const state = await runSteps(made.stepUnder(key.rules), slices);
        return { state, changed: 0, rebuilt: true };
      }
      const changed = upserts.length + deletes.length;
      return { state: made, changed, rebuilt: false };
    } catch (error) {
      if (error instanceof RevisionNotFound) return undefined;
      throw error;
    }
  }

  /** From the image of a revision near it, and the changes since. Undefined if there is none. */
  private async loadImage(key: StateKey, lineage: Lineage): Promise<Loaded | undefined> {
    const leave = await this.slots.take();
    let restored: RestoredState | undefined;
    try {
      restored = await this.options.images?.restore(key);
    } finally {
      leave();
    }
    if (restored === undefined) return undefined;
    const made = await this.loadDelta({ ...restored, lineage }, key);
    // The revision of the image no longer exists.
    if (made === undefined) this.options.images!.forget(key.clusterId);
    else lineage.deltas = made.changed > SMALL ? LARGE_DELTA : SMALL_DELTA;
    return made;
  }

  /** As `loadFull`, at the pace at which images are made: until then, states take several times the memory. */
  private async loadWithoutImage(key: StateKey): Promise<ClusterState> {
    await this.options.images?.caughtUp();
    return this.loadFull(key);
  }

  private async loadFull(key: StateKey): Promise<ClusterState> {
    const leave = await this.slots.take();
    try {
      const builder = new ClusterStateBuilder(kindsOf(key), key.rules);
      const slices = new TimeSlices(LOADING);
      for await (const rows of this.reader.stream(key.clusterId, key.revision)) {
        for (const row of rows) {
          if (slices.due()) await slices.pause();
          builder.addStored(row.kind, row.namespace, row.name, row.content);
        }
      }
      return await runSteps(builder.stepFinish(), slices);
    } finally {
      leave();
    }
  }

  /** @param askedAt when its cluster was last asked for; undefined if it never was */
  private isPassing(name: string, entry: Entry, askedAt: number | undefined): boolean {
    const ofCluster = this.ofClusters.get(entry.clusterId);
    if (ofCluster?.get(name) !== entry || ofCluster.size > 1 || askedAt === undefined) return false;
    let excess = this.total.bytes - this.options.budgetBytes;
    for (const [other, { state, bytes, usedAt }] of this.entries) {
      if (excess <= 0) return false;
      if (state === undefined || other === name || this.passing.has(other)) continue;
      if (usedAt > askedAt) return true;
      excess -= bytes;
    }
    return false;
  }

  private evict(justLoaded: string): void {
    for (const names of [this.passing, this.entries.keys()]) {
      for (const name of names) {
        if (this.total.bytes <= this.options.budgetBytes) return;
        if (this.entries.get(name)!.state !== undefined && name !== justLoaded) this.remove(name);
      }
    }
  }
}

/** A loaded state that another one may be created from. */
type Base = Pick<Entry, 'revision' | 'lineage'> & { readonly state: ClusterState };

/** A state that was made from another one. */
interface Loaded {
  readonly state: ClusterState;
  /** The number of objects that differ. */
  readonly changed: number;
  /** Whether it shares no tables with the other one. */
  readonly rebuilt: boolean;
}

const nameOf = ({ clusterId, revision, rules }: StateKey): string => `${clusterId}@${revision} ${rules.id}`;

/** Revisions record kinds by name; these were validated when they were stored. */
const kindsOf = (key: StateKey): readonly KeptKind[] => key.loadedKinds as readonly KeptKind[];

/** Stored content was decoded and pruned before it was stored, so it is not validated again. */
const objectOf = (row: StoredObject): KubernetesObject =>
  parseJson(row.content, { isTrusted: true }) as unknown as KubernetesObject;
