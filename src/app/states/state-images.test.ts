import { beforeEach, describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../core/cluster/cluster-state.js';
import { DEFAULT_RULES } from '../../core/kubernetes/kubernetes-rules.js';
import type { KubernetesObject } from '../../core/kubernetes/objects/meta.js';
import type { StateImageHead } from '../../storage/state-image-store.js';
import type { StateKey } from './cluster-states.js';
import { StateImages } from './state-images.js';

const KINDS = ['Node', 'Pod'] as const;
const MINUTES = 60_000;

const nodes = (count: number): KubernetesObject[] =>
  Array.from({ length: count }, (_, index) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name: `n${index}` } }));
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

  head(): Promise<StateImageHead | undefined> {
    return Promise.resolve(this.head_);
  }

  async *read(_: number, accepts: (head: StateImageHead) => boolean): AsyncGenerator<readonly Buffer[], void> {
    await Promise.resolve();
    if (this.head_ !== undefined && accepts(this.head_)) for (const part of this.parts) yield [part];
  }

  keep(_: number, head: StateImageHead, parts: readonly Buffer[]): Promise<void> {
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
  by.note(key(revision), stateOf(objects), changed);
  await by.made();
  return store.written;
}

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

  it.each<[string, (head: StateImageHead) => Partial<StateImageHead>]>([
    ['of another form', ({ form }) => ({ form: form + 1 })],
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
