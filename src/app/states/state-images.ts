import { ClusterStateBuilder, type ClusterState } from '../../core/cluster/cluster-state.js';
import { IMAGE_FORM } from '../../core/cluster/state-image.js';
import type { KeptKind } from '../../core/kubernetes/kinds.js';
import type { KubernetesRules } from '../../core/kubernetes/kubernetes-rules.js';
import { Semaphore } from '../../event-loop/semaphore.js';
import type { StateImageHead, StateImageStore } from '../../storage/state-image-store.js';
import { StorageError } from '../../storage/storage-error.js';
import type { StateKey } from './cluster-states.js';
import { packPart, unpackPart } from './packed-image-part.js';
import { LOADING, TimeSlices } from './time-slices.js';

/** States with fewer objects are loaded as fast without an image. */
export const FEWEST_OBJECTS = 1_000;
/** An image is made anew when so much of the state has changed since: a share of its objects, or revisions. */
const CHANGED_SHARE = 0.1;
const CHANGED_REVISIONS = 1_000;
/** Milliseconds between two images of a cluster, and between two looks at whether the last is still stored. */
const LEAST_AGE = 5 * 60_000;
/** Of a revision further away, the image is not used: the changes in between are as much as the state. */
const FARTHEST = 2_000;
/** Parts that are packed at once. */
const BATCH = 8;
/** Images that wait to be made before further states are loaded from objects. */
const MOST_WAITING = 4;

export interface StateImagesOptions {
  readonly fewestObjects?: number;
  /** Milliseconds since any moment. */
  readonly now?: () => number;
  readonly onFailure?: (clusterId: number, error: unknown) => void;
}

/** What this process knows of the stored image of a cluster. */
interface Known {
  revision: number;
  /** Objects that changed since. */
  changed: number;
  /** When it was made; of one that another process made, when this one learned of it. */
  at: number;
  /** When it was last seen in the database. Retention removes it with its revision. */
  seenAt: number;
}

/** A state of which an image may be made. */
export interface LoadedState {
  /** The number of its objects. */
  readonly size: number;
  /**
   * The state while it is kept in memory; undefined afterwards. It is asked for when the turn of the image has come, so that states which
   * wait for theirs are not kept for that.
   */
  readonly current: () => ClusterState | undefined;
  /**
   * Is called when the image is stored, with the state of which it was made.
   * @param restore makes the state of the image, which takes a fraction of the memory while nothing is read of it
   */
  readonly replace: (state: ClusterState, restore: () => Promise<ClusterState>) => Promise<void>;
}

/** A state that was restored from an image. */
export interface RestoredState {
  readonly revision: number;
  readonly state: ClusterState;
}

/**
 * Keeps an image of a large state for each cluster, from which a process that does not have the state in memory restores it. Without
 * an image, or if it cannot be read, the objects are read instead.
 */
export class StateImages {
  private readonly known = new Map<number, Known>();
  /** The work on the images of clusters that are being made or wait for it. */
  private readonly making = new Map<number, Promise<void>>();
  private readonly turns = new Semaphore(1);
  private work: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    private readonly store: Pick<StateImageStore, 'head' | 'read' | 'keep' | 'remove'>,
    private readonly options: StateImagesOptions = {},
  ) {}

  /** The state near a revision; undefined if there is no image of one. @throws {StorageError} if the database cannot be read */
  async restore({ clusterId, revision, loadedKinds, rules }: StateKey): Promise<RestoredState | undefined> {
    const isNear = (head: StateImageHead): boolean =>
      Math.abs(head.revision - revision) <= FARTHEST && head.loadedKinds.every((kind) => loadedKinds.includes(kind));
    let head: StateImageHead | undefined;
    const batches = this.store.read(clusterId, IMAGE_FORM, (found) => {
      head = isNear(found) ? found : undefined;
      return head !== undefined;
    });
    try {
      const state = await restoredState(batches, () => head!, rules);
      if (head === undefined || state === undefined) return undefined;
      this.known.set(clusterId, { revision: head.revision, changed: 0, at: -Infinity, seenAt: this.now() });
      return { revision: head.revision, state };
    } catch (error) {
      if (error instanceof StorageError) throw error;
      this.options.onFailure?.(clusterId, error);
      this.known.delete(clusterId);
      // The objects are read in any case.
      await this.store.remove(clusterId, IMAGE_FORM).catch(() => undefined);
      return undefined;
    }
  }

  /**
   * Notes that a state has been loaded, and makes an image of it, in the background, if that is worth it.
   * @param changed the number of objects that differ from the state that it was made of; undefined if it was made of none
   */
  note({ clusterId, revision }: StateKey, loaded: LoadedState, changed?: number): void {
    const { size } = loaded;
    const known = this.known.get(clusterId);
    // A state of the past says nothing about how old the image is.
    if (known !== undefined && revision < known.revision) return;
    if (known !== undefined && changed !== undefined) known.changed += changed;
    if (this.isStopped || this.making.has(clusterId) || size < (this.options.fewestObjects ?? FEWEST_OBJECTS)) return;
    const isOutdated = this.isOutdated(known, revision, size);
    if (!isOutdated && this.now() - known!.seenAt < LEAST_AGE) return;
    const work = this.make(clusterId, revision, loaded, isOutdated);
    this.making.set(clusterId, work);
    this.work = Promise.all([this.work, work]).then(() => undefined);
  }

  /** Looks for the image of a cluster when a state of it is noted next, however recently it was seen. */
  lookAgain(clusterId: number): void {
    const known = this.known.get(clusterId);
    if (known !== undefined) known.seenAt = -Infinity;
  }

  /** Forgets the image of a cluster that is deleted, or whose image is of no use. */
  forget(clusterId: number): void {
    this.known.delete(clusterId);
  }

  /** Resolves when few wait to be made: as long as they do, their states are in memory as they were loaded. */
  async caughtUp(): Promise<void> {
    while (this.making.size >= MOST_WAITING) await Promise.race(this.making.values());
  }

  /** Resolves when those that are worth it by now are made. */
  async made(): Promise<void> {
    await this.work;
  }

  /** Makes no more images. Resolves when the one that is being made is kept. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.made();
  }

  private isOutdated(known: Known | undefined, revision: number, size: number): boolean {
    if (known === undefined) return true;
    if (this.now() - known.at < LEAST_AGE) return false;
    return revision - known.revision >= CHANGED_REVISIONS || known.changed >= CHANGED_SHARE * size;
  }

  /** @param isOutdated otherwise the image is made only if none is stored that this version can read */
  private async make(
    clusterId: number,
    revision: number,
    { current, replace }: LoadedState,
    isOutdated: boolean,
  ): Promise<void> {
    const leave = await this.turns.take();
    const learn = (of: number): void => {
      this.known.set(clusterId, { revision: of, changed: 0, at: this.now(), seenAt: this.now() });
    };
    try {
      const known = this.known.get(clusterId);
      const stored = await this.store.head(clusterId, IMAGE_FORM);
      if (stored !== undefined && (stored.revision >= revision || stored.revision > (known?.revision ?? Infinity))) {
        // Another process has made one, or the state is of the past.
        learn(stored.revision);
        return;
      }
      if (!isOutdated && known !== undefined && stored !== undefined) {
        known.seenAt = this.now();
        return;
      }
      const state = this.isStopped ? undefined : current();
      if (state === undefined) return;
      const parts = await this.partsOf(state);
      const { size: objects, loadedKinds } = state;
      const head = { revision, form: IMAGE_FORM, loadedKinds: [...loadedKinds], objects, parts: parts.length };
      await this.store.keep(clusterId, head, parts);
      learn(revision);
      await replace(
        state,
        async () =>
          (await restoredState([parts], () => head, state.rules, { ...LOADING, background: { rests: 0 } })) ?? state,
      );
    } catch (error) {
      // States are loaded without it; it is tried again when it would have been old enough.
      const known = this.known.get(clusterId) ?? { revision, seenAt: this.now() };
      this.known.set(clusterId, { ...known, changed: Infinity, at: this.now() });
      this.options.onFailure?.(clusterId, error);
    } finally {
      this.making.delete(clusterId);
      leave();
    }
  }

  private async partsOf(state: ClusterState): Promise<readonly Buffer[]> {
    const slices = new TimeSlices({ background: { rests: 0 } });
    const packed: Buffer[] = [];
    let waiting: Promise<Buffer>[] = [];
    for (const part of state.image()) {
      if (slices.due()) await slices.pause();
      if (part === undefined) continue;
      waiting.push(packPart(part));
      if (waiting.length < BATCH) continue;
      packed.push(...(await Promise.all(waiting)));
      waiting = [];
    }
    return [...packed, ...(await Promise.all(waiting))];
  }

  private now(): number {
    return (this.options.now ?? performance.now.bind(performance))();
  }
}

/**
 * The state of parts; undefined if there are none.
 * @param headOf known once there are parts
 */
async function restoredState(
  batches: AsyncIterable<readonly Buffer[]> | Iterable<readonly Buffer[]>,
  headOf: () => Pick<StateImageHead, 'loadedKinds' | 'objects'>,
  rules: KubernetesRules,
  options = LOADING,
): Promise<ClusterState | undefined> {
  const slices = new TimeSlices(options);
  let builder: ClusterStateBuilder | undefined;
  for await (const parts of unpacked(batches)) {
    builder ??= new ClusterStateBuilder(headOf().loadedKinds as readonly KeptKind[], rules);
    for (const part of parts) await slices.run(builder.restore(part));
  }
  if (builder === undefined) return undefined;
  const state = await slices.run(builder.stepFinish());
  const { objects } = headOf();
  if (state.size !== objects) throw new Error(`the image has ${state.size} objects, not ${objects}`);
  return state;
}

/** Unpacks a batch while the one before is used. */
async function* unpacked(
  batches: AsyncIterable<readonly Buffer[]> | Iterable<readonly Buffer[]>,
): AsyncGenerator<Awaited<ReturnType<typeof unpackPart>>[], void> {
  let ahead: ReturnType<typeof unpackAll> | undefined;
  for await (const batch of batches) {
    const former = ahead;
    ahead = unpackAll(batch);
    if (former !== undefined) yield await former;
  }
  if (ahead !== undefined) yield await ahead;
}

function unpackAll(batch: readonly Buffer[]): Promise<Awaited<ReturnType<typeof unpackPart>>[]> {
  const unpacking = Promise.all(batch.map(unpackPart));
  // It is waited for after the next batch has come.
  unpacking.catch(() => undefined);
  return unpacking;
}
