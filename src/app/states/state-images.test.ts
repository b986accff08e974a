import { beforeEach, describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../core/cluster/cluster-state.js';
import { DEFAULT_RULES } from '../../core/kubernetes/kubernetes-rules.js';
import type { KubernetesObject } from '../../core/kubernetes/objects/meta.js';
import type { StateImageHead } from '../../storage/state-image-store.js';
import { StorageUnavailable } from '../../storage/storage-error.js';
import type { StateKey } from './cluster-states.js';
import { StateImages, type LoadedState } from './state-images.js';

const KINDS = ['Node', 'Pod'] as const;
const MINUTES = 60_000;

const nodes = (count: number): KubernetesObject[] =>
  Array.from({ length: count }, (_, index) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name: `n${index}` } }));
const objectsWithPods = (): KubernetesObject[] =>
  Array.from({ length: 3000 }, (_, index) => {
    const metadata = { name: `p${index}`, namespace: 'n', labels: { app: `a${index % 50}`, index: `${index}` } };
    return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'c', image: `i${index % 50}` }] } };
  });
const stateOf = (count: number): ClusterState => ClusterState.build(nodes(count), KINDS);
const key = (revision: number, loadedKinds: readonly string[] = KINDS): StateKey => ({
  clusterId: 1,
  revision,
  loadedKinds,
  rules: DEFAULT_RULES,
});

/** Images in memory, as they would be stored. */
class MemoryStore {
  head_: StateImageHead | undefined;
  parts: readonly Buffer[] = [];
  written: number[] = [];
  looks = 0;
  isDown = false;
  private gate = Promise.resolve();

  async head(): Promise<StateImageHead | undefined> {
    this.looks += 1;
    await this.gate;
    return this.head_;
  }

  /** Answers no question for the head until the result is called. */
  hold(): () => void {
    let open!: () => void;
    this.gate = new Promise((resolve) => (open = resolve));
    return open;
  }

  async *read(
    _: number,
    __: number,
    accepts: (head: StateImageHead) => boolean,
  ): AsyncGenerator<readonly Buffer[], void> {
    await Promise.resolve();
    if (this.head_ !== undefined && accepts(this.head_)) for (const part of this.parts) yield [part];
  }

  keep(_: number, head: StateImageHead, parts: readonly Buffer[]): Promise<void> {
    if (this.isDown) return Promise.reject(new StorageUnavailable('down'));
    this.written.push(head.revision);
    this.head_ = head;
    this.parts = parts;
    return Promise.resolve();
  }

  remove(): Promise<void> {
    this.head_ = undefined;
    return Promise.resolve();
  }
}

let store: MemoryStore;
let now: number;
let failures: unknown[];
let images: StateImages;
beforeEach(() => {
  store = new MemoryStore();
  now = 0;
  failures = [];
  images = anew();
});

/** As another process has them. */
const anew = (): StateImages =>
  new StateImages(store, { fewestObjects: 20, now: () => now, onFailure: (_, error) => failures.push(error) });

/** Notes a state and waits until its image would be made. */
async function noted(by: StateImages, revision: number, changed?: number, objects = 100): Promise<readonly number[]> {
  by.note(key(revision), loaded(stateOf(objects)), changed);
  await by.made();
  return store.written;
}

/** As it is kept in memory. */
const loaded = (state: ClusterState): LoadedState => ({
  size: state.size,
  current: () => state,
  replace: () => Promise.resolve(),
});

describe('the images of states', () => {
  it('are made of a state that was loaded, if it is large enough', async () => {
    expect(await noted(images, 5, undefined, 19)).toEqual([]);
    expect(await noted(images, 5, undefined, 20)).toEqual([5]);
    const restored = await anew().restore(key(7));
    expect(restored?.revision).toBe(5);
    expect(restored?.state.objects('Node')).toEqual(stateOf(20).objects('Node'));
  });

  it('are made anew when a tenth of the objects has changed, five minutes later', async () => {
    await noted(images, 5);
    now = 4 * MINUTES;
    expect(await noted(images, 6, 9)).toEqual([5]);
    expect(await noted(images, 7, 1)).toEqual([5]);
    now = 6 * MINUTES;
    expect(await noted(images, 8, 0)).toEqual([5, 8]);
    now = 20 * MINUTES;
    expect(await noted(images, 9, 9)).toEqual([5, 8]);
    expect(await noted(images, 10, 1)).toEqual([5, 8, 10]);
  });

  it('are made anew after many revisions, and at once by a process that has restored an old one', async () => {
    await noted(images, 5);
    const other = anew();
    await other.restore(key(900));
    expect(await noted(other, 900, 9)).toEqual([5]);
    expect(await noted(other, 1005, 0)).toEqual([5, 1005]);
  });

  it('are not made of the past, nor where another process has made one', async () => {
    await noted(images, 50);
    const other = anew();
    expect(await noted(other, 40)).toEqual([50]);
    now = 10 * MINUTES;
    expect(await noted(images, 60, 10)).toEqual([50, 60]);
    expect(await noted(other, 61, 10)).toEqual([50, 60]);
    now = 20 * MINUTES;
    expect(await noted(other, 62, 9)).toEqual([50, 60]);
  });

  it('are made anew where retention has removed them, five minutes later, by the process that made them or has restored them', async () => {
    await noted(images, 5);
    const other = anew();
    await other.restore(key(6));
    await store.remove();
    now = 4 * MINUTES;
    expect(await noted(images, 6, 1)).toEqual([5]);
    expect(await noted(other, 6, 1)).toEqual([5]);
    now = 5 * MINUTES;
    expect(await noted(images, 7, 1)).toEqual([5, 7]);
    await store.remove();
    expect(await noted(other, 8, 1)).toEqual([5, 7, 8]);
    // The other process sees that, and makes none.
    now = 10 * MINUTES;
    expect(await noted(images, 9, 1)).toEqual([5, 7, 8]);
  });

  it('are looked for at once if they are said to be missing', async () => {
    await noted(images, 5);
    images.lookAgain(1);
    expect(await noted(images, 5, 0)).toEqual([5]);
    await store.remove();
    expect(await noted(images, 5, 0)).toEqual([5]);
    images.lookAgain(1);
    expect(await noted(images, 5, 0)).toEqual([5, 5]);
  });

  it('are looked for every five minutes, without forgetting what has changed', async () => {
    await noted(images, 5);
    const { looks } = store;
    now = 5 * MINUTES;
    await noted(images, 6, 4);
    await noted(images, 7, 4);
    expect(store.looks).toBe(looks + 1);
    now = 6 * MINUTES;
    expect(await noted(images, 8, 2)).toEqual([5, 8]);
  });

  it('do not become older where states of the past are asked for', async () => {
    await noted(images, 50);
    now = 6 * MINUTES;
    await noted(images, 51, 6);
    await noted(images, 40, 100);
    expect(await noted(images, 52, 4)).toEqual([50, 52]);
  });

  it('are made of states that are still in memory when their turn comes, and none once the service stops', async () => {
    const open = store.hold();
    const kept = new Map([1, 2, 3].map((cluster) => [cluster, stateOf(30)]));
    const note = (clusterId: number): void => {
      const state = { ...loaded(stateOf(30)), current: () => kept.get(clusterId) };
      images.note({ ...key(clusterId), clusterId }, state);
    };
    [1, 2, 3].forEach(note);
    kept.delete(2);
    open();
    await images.made();
    expect(store.written).toEqual([1, 3]);
    // It was not made, so the next load is noted again.
    kept.set(2, stateOf(30));
    store.head_ = undefined;
    note(2);
    await images.made();
    expect(store.written).toEqual([1, 3, 2]);
    kept.set(4, stateOf(30));
    note(4);
    await images.stop();
    expect(store.written).toEqual([1, 3, 2]);
  });

  it('restore the state once they are stored, in a fraction of the memory', async () => {
    const large = ClusterState.build(objectsWithPods(), KINDS);
    let restored: ClusterState | undefined;
    const replace: LoadedState['replace'] = async (state, restore) => {
      expect([state, store.written]).toEqual([large, [5]]);
      restored = await restore();
    };
    images.note(key(5), { ...loaded(large), replace });
    await images.made();
    expect(restored!.rules).toBe(large.rules);
    expect(restored!.approximateBytes).toBeLessThan(large.approximateBytes / 3);
    for (const kind of KINDS) expect(restored!.objects(kind)).toEqual(large.objects(kind));
    expect(failures).toEqual([]);
  });

  it('let states be loaded from objects while few wait to be made', async () => {
    const open = store.hold();
    const note = (clusterId: number): void => images.note({ ...key(1), clusterId }, loaded(stateOf(20)));
    [1, 2, 3].forEach(note);
    await images.caughtUp();
    note(4);
    let isCaughtUp = false;
    const catchingUp = images.caughtUp().then(() => (isCaughtUp = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isCaughtUp).toBe(false);
    open();
    await catchingUp;
    await images.made();
    // As if they were clusters of their own: the first is stored, and the store has one place.
    expect(store.written).toEqual([1]);
  });

  it('are tried again five minutes after they could not be kept', async () => {
    await noted(images, 5);
    now = 6 * MINUTES;
    store.isDown = true;
    await noted(images, 6, 10);
    expect(failures).toEqual([expect.any(StorageUnavailable)]);
    store.isDown = false;
    now = 10 * MINUTES;
    expect(await noted(images, 7, 1)).toEqual([5]);
    now = 11 * MINUTES;
    expect(await noted(images, 8, 1)).toEqual([5, 8]);
  });

  it.each<[string, (head: StateImageHead) => Partial<StateImageHead>]>([
    ['of a revision far away', () => ({ revision: 5 + 2001 })],
    [
      'with kinds that the revision does not have',
      ({ loadedKinds }) => ({ loadedKinds: [...loadedKinds, 'Namespace'] }),
    ],
  ])('%s are left where they are', async (_, change) => {
    await noted(images, 5);
    store.head_ = { ...store.head_!, ...change(store.head_!) };
    expect(await anew().restore(key(5))).toBeUndefined();
    expect([store.head_, failures]).toEqual([expect.anything(), []]);
  });

  it.each<[string, () => void]>([
    [
      'whose bytes are damaged',
      () => (store.parts = store.parts.map((part) => part.map((byte) => byte ^ 1) as Buffer)),
    ],
    ['with an object too few', () => (store.head_ = { ...store.head_!, objects: 101 })],
  ])('%s are removed, and made anew', async (_, damage) => {
    await noted(images, 5);
    damage();
    const other = anew();
    expect(await other.restore(key(5))).toBeUndefined();
    expect([store.head_, failures]).toEqual([undefined, [expect.objectContaining({ message: expect.any(String) })]]);
    expect(await noted(other, 5)).toEqual([5, 5]);
  });
});
