import { DEFAULT_RULES } from '../../core/kubernetes/kubernetes-rules.js';
import { describe, expect, it } from '@jest/globals';
import { collected } from '../../../test/support/collected.js';
import { visited } from '../../../test/support/visited.js';
import type { ObjectChanges, StoredObject } from '../../storage/object-reader.js';
import { RevisionNotFound } from '../../storage/storage-error.js';
import { ClusterState, ClusterStateBuilder } from '../../core/cluster/cluster-state.js';
import type { KubernetesObject } from '../../core/kubernetes/objects/meta.js';
import { ClusterStates, type ClusterStatesOptions, type StateKey } from './cluster-states.js';
import type { LoadedState, RestoredState } from './state-images.js';

const KINDS = ['Node', 'Pod'];
const key = (revision: number, loadedKinds = KINDS, clusterId = 1): StateKey => ({
  clusterId,
  revision,
  loadedKinds,
  rules: DEFAULT_RULES,
});

function node(name: string, taint?: string): StoredObject {
  const spec = taint === undefined ? {} : { taints: [{ key: taint, effect: 'NoSchedule' }] };
  const content = JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec });
  return { kind: 'Node', namespace: '', name, hash: '', content };
}

function pod(name: string, nodeName: string): StoredObject {
  const metadata = { name, namespace: 'default' };
  const spec = { nodeName, containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] };
  const content = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
  return { kind: 'Pod', namespace: 'default', name, hash: '', content };
}

/** Revisions in memory, read like stored ones, with a count of the reads and a gate before each. */
function setUp(
  revisions: Record<number, readonly StoredObject[]>,
  budgetBytes = 1e9,
  images?: NonNullable<ClusterStatesOptions['images']>,
) {
  const reads: string[] = [];
  const kinds: string[] = [];
  let gate: Promise<void> = Promise.resolve();
  let failure: Error | undefined;
  const rowsOf = (revision: number): readonly StoredObject[] => {
    const rows = revisions[revision];
    if (rows === undefined) throw new RevisionNotFound(1, revision);
    return rows;
  };
  const reader = {
    async *stream(_: number, revision: number) {
      reads.push(`full ${revision}`);
      await gate;
      if (failure !== undefined) throw failure;
      yield rowsOf(revision);
    },
    async changesBetween(_: number, from: number, to: number): Promise<ObjectChanges> {
      reads.push(`delta ${from} ${to}`);
      await gate;
      const [before, after] = [rowsOf(from), rowsOf(to)];
      const same = (a: StoredObject) => (b: StoredObject) => a.kind === b.kind && a.name === b.name;
      return {
        upserts: after
          .filter((row) => before.find(same(row))?.content !== row.content)
          .map((row) => ({ ...row, resourceVersion: null })),
        deletes: before.filter((row) => !after.some(same(row))),
      };
    },
  };
  const states = new ClusterStates(reader, {
    budgetBytes,
    mostDeltas: 200,
    onLoad: (kind) => kinds.push(kind),
    ...(images && { images }),
  });
  const hold = () => {
    let open!: () => void;
    gate = new Promise((resolve) => (open = resolve));
    return open;
  };
  return { states, reads, kinds, hold, fail: (error?: Error) => (failure = error) };
}

/** @returns how often a state was loaded */
async function askInTurn(
  states: ClusterStates,
  reads: readonly string[],
  clusters: readonly number[],
): Promise<number> {
  const before = reads.length;
  for (const cluster of clusters) await states.get(key(1, KINDS, cluster));
  return reads.length - before;
}

/** Nodes and pods of a state, for comparisons. */
function contentOf(state: ClusterState): unknown {
  return {
    nodes: state.objects('Node'),
    pods: state.objects('Pod'),
    kinds: [...state.loadedKinds].sort(),
    requested: Array.from({ length: state.nodes.count }, (_, i) => state.nodes.requested.at('cpu', i)),
    taints: Array.from({ length: state.nodes.count }, (_, i) => state.taintSets[state.nodes.taintSetId(i)]),
  };
}

const FIRST = [node('a'), node('b', 'old'), pod('p', 'a'), pod('q', 'a')];
const SECOND = [node('a', 'new'), node('c'), pod('p', 'c'), pod('r', 'a')];

describe('the loaded states', () => {
  it('are loaded once for concurrent requests, and then cached', async () => {
    const { states, reads, hold } = setUp({ 1: FIRST });
    const open = hold();
    const loads = [states.get(key(1)), states.get(key(1)), states.get(key(1))];
    open();
    const [one, two, three] = await Promise.all(loads);
    expect(two).toBe(one);
    expect(three).toBe(one);
    expect(await states.get(key(1))).toBe(one);
    expect(reads).toEqual(['full 1']);
    expect(states.loaded().states).toBe(1);
  });

  it.each([
    { name: 'a newer revision', from: 1, to: 2 },
    { name: 'an older revision', from: 2, to: 1 },
  ])('$name created from the changes equals one that was loaded completely', async ({ from, to }) => {
    const revisions = { 1: FIRST, 2: SECOND };
    const { states, reads, kinds } = setUp(revisions);
    const base = await states.get(key(from));
    const before = contentOf(base);
    const delta = await states.get(key(to));
    expect(reads).toEqual([`full ${from}`, `delta ${from} ${to}`]);
    expect(kinds).toEqual(['full', 'delta']);
    expect(contentOf(delta)).toEqual(contentOf(await setUp(revisions).states.get(key(to))));
    expect(contentOf(base)).toEqual(before);
  });

  it('of an older revision that knows fewer kinds are loaded completely: a state cannot lose kinds', async () => {
    const { states, reads } = setUp({ 1: FIRST, 2: SECOND });
    await states.get(key(2, [...KINDS, 'RuntimeClass']));
    const older = await states.get(key(1));
    expect([...older.loadedKinds].sort()).toEqual(KINDS);
    expect(reads).toEqual(['full 2', 'full 1']);
  });

  it('of a revision that knows more kinds are created from the changes, and know them', async () => {
    const { states, reads } = setUp({ 1: FIRST, 2: SECOND });
    await states.get(key(1));
    const newer = await states.get(key(2, [...KINDS, 'RuntimeClass']));
    expect(newer.loadedKinds.has('RuntimeClass')).toBe(true);
    expect(reads).toEqual(['full 1', 'delta 1 2']);
  });

  it('are created from the nearest one, and loaded completely if retention removed that one meanwhile', async () => {
    const revisions: Record<number, StoredObject[]> = { 1: FIRST, 5: SECOND, 6: SECOND };
    const { states, reads } = setUp(revisions);
    await states.get(key(1));
    await states.get(key(5));
    await states.get(key(6));
    expect(reads.at(-1)).toBe('delta 5 6');
    delete revisions[1];
    delete revisions[5];
    delete revisions[6];
    revisions[7] = FIRST;
    expect(contentOf(await states.get(key(7)))).toEqual(contentOf(await setUp({ 7: FIRST }).states.get(key(7))));
    expect(reads.slice(-2)).toEqual(['delta 6 7', 'full 7']);
  });

  it('beyond the budget are dropped, least recently used first, except the newest', async () => {
    const { states, reads } = setUp({ 1: FIRST, 2: SECOND, 3: FIRST });
    const one = (await states.get(key(1))).approximateBytes;
    expect(one).toBeGreaterThan(0);
    const small = setUp({ 1: FIRST, 2: SECOND, 3: FIRST }, one * 2.6);
    await small.states.get(key(1));
    await small.states.get(key(2));
    await small.states.get(key(1));
    await small.states.get(key(3));
    expect(small.states.loaded().states).toBeLessThan(3);
    const count = small.reads.length;
    await small.states.get(key(3));
    expect(small.reads.length).toBe(count);
    await small.states.get(key(2));
    expect(small.reads.length).toBe(count + 1);
    const none = setUp({ 1: FIRST }, 0);
    await none.states.get(key(1));
    expect(none.states.loaded().states).toBe(1);
    expect(reads).toEqual(['full 1']);
  });

  it('that clusters are asked for in turn, more than fit, stay as far as they fit', async () => {
    const one = (await setUp({ 1: FIRST }).states.get(key(1))).approximateBytes;
    const { states, reads } = setUp({ 1: FIRST }, one * 6.5);
    const ask = (clusters: readonly number[]): Promise<number> => askInTurn(states, reads, clusters);
    const all = Array.from({ length: 10 }, (_, index) => index + 1);
    expect(await ask(all)).toBe(10);
    // One place is that of the state that was loaded last.
    for (let time = 0; time < 3; time++) expect(await ask(all)).toBe(5);
    expect(states.loaded()).toEqual({ states: 6, bytes: 6 * one });
    // Of the others, those that are asked for again take the place of those that are not.
    await ask([1, 1, 2, 2, 3, 3]);
    expect(await ask([1, 2, 3])).toBe(0);
    expect(await ask([11, 12])).toBe(2);
    expect(await ask([3, 12, 11, 2, 1])).toBe(0);
  });

  it('of a new head of a cluster that is in memory stay, even if the others were asked for more recently', async () => {
    const grown = [...SECOND, ...Array.from({ length: 200 }, (_, index) => pod(`grown-${index}`, 'a'))];
    const one = (await setUp({ 1: FIRST }).states.get(key(1))).approximateBytes;
    const sizes = setUp({ 1: FIRST, 2: grown });
    await sizes.states.get(key(1));
    const large = (await sizes.states.get(key(2))).approximateBytes;
    expect(large).toBeGreaterThan(2 * one);
    const { states, reads } = setUp({ 1: FIRST, 2: grown }, large + 1.5 * one);
    await askInTurn(states, reads, [1, 2, 3, 2, 3]);
    await states.get(key(2));
    await states.get(key(1, KINDS, 4));
    const before = reads.length;
    await states.get(key(2));
    expect(reads).toHaveLength(before);
  });

  it('of clusters that are asked for in turn are loaded once for the questions about each', async () => {
    const one = (await setUp({ 1: FIRST }).states.get(key(1))).approximateBytes;
    const { states, reads } = setUp({ 1: FIRST }, one * 3.5);
    const inTurn = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5].flatMap((cluster) => [cluster, cluster, cluster]);
    expect(await askInTurn(states, reads, inTurn)).toBe(10);
  });

  it('do not delay requests that were canceled, and serve those that still wait', async () => {
    const { states, reads, hold } = setUp({ 1: FIRST });
    const open = hold();
    const gone = new AbortController();
    const left = states.get(key(1), gone);
    const stays = states.get(key(1), new AbortController());
    gone.abort();
    await expect(left).rejects.toMatchObject({ code: 'cancelled' });
    open();
    expect((await stays).nodes.count).toBe(2);
    expect(reads).toEqual(['full 1']);
    await expect(setUp({ 1: FIRST }).states.get(key(1), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  it('that failed to load are loaded again for the next request', async () => {
    const { states, reads, fail } = setUp({ 1: FIRST });
    fail(new Error('the database went away'));
    await expect(Promise.all([states.get(key(1)), states.get(key(1))])).rejects.toThrow('went away');
    expect(states.knows(1)).toBe(false);
    fail(undefined);
    expect((await states.get(key(1))).pods.count).toBe(2);
    expect(reads).toEqual(['full 1', 'full 1']);
    await expect(states.get(key(9))).rejects.toThrow(RevisionNotFound);
  });

  it('follow a new head only if the cluster is loaded, and are dropped with their cluster', async () => {
    const { states, reads } = setUp({ 1: FIRST, 2: SECOND });
    await states.follow(key(1));
    expect(reads).toEqual([]);
    await states.get(key(1));
    await states.follow(key(2));
    expect(reads).toEqual(['full 1', 'delta 1 2']);
    states.forget(1);
    expect(states.loaded()).toEqual({ states: 0, bytes: 0 });
  });

  it('skip heads that come faster than they can be loaded, except the newest', async () => {
    const { states, reads, hold } = setUp({ 1: FIRST, 2: SECOND, 3: FIRST, 4: SECOND });
    await states.get(key(1));
    const open = hold();
    const loads = [2, 3, 4, 3].map((revision) => states.follow(key(revision)));
    open();
    await Promise.all(loads);
    expect(reads).toEqual(['full 1', 'delta 1 2', 'delta 2 4']);
    await states.follow(key(3));
    expect(reads.at(-1)).toMatch(/^delta . 3$/);
  });

  it('go on with the newest head if one before it is gone', async () => {
    const { states, reads, hold } = setUp({ 1: FIRST, 4: SECOND });
    await states.get(key(1));
    const open = hold();
    const loads = [states.follow(key(2)), states.follow(key(4))];
    open();
    await Promise.all(loads);
    expect(reads.at(-1)).toBe('delta 1 4');
    await expect(states.follow(key(5))).rejects.toThrow(RevisionNotFound);
    await states.follow(key(1));
  });

  it('that were created from many deltas are reloaded completely in the background', async () => {
    const revisions = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [i + 1, i % 2 === 0 ? FIRST : SECOND]));
    const { states, reads } = setUp(revisions);
    for (let revision = 1; revision <= 201; revision++) await states.get(key(revision));
    expect(reads.filter((read) => read.startsWith('full'))).toEqual(['full 1', 'full 201']);
    expect(contentOf(await states.get(key(201)))).toEqual(contentOf(await setUp({ 201: FIRST }).states.get(key(201))));
  });

  it('of newer heads wait for the complete load of another revision, and are created from it', async () => {
    const { states, reads, hold } = setUp({ 1: FIRST, 2: SECOND, 3: FIRST });
    const open = hold();
    const first = states.get(key(1));
    const others = [states.follow(key(2)), states.get(key(3))];
    open();
    await Promise.all([first, ...others]);
    expect(reads).toEqual(['full 1', 'delta 1 2', 'delta 1 3']);
    expect(contentOf(await states.get(key(2)))).toEqual(contentOf(await setUp({ 2: SECOND }).states.get(key(2))));
  });

  it('that wait for a complete load that fails are loaded completely, one after another', async () => {
    const { states, reads, hold, fail } = setUp({ 2: SECOND, 3: FIRST });
    const open = hold();
    const missing = states.get(key(1));
    const others = [states.get(key(2)), states.get(key(3))];
    open();
    await expect(missing).rejects.toThrow(RevisionNotFound);
    await Promise.all(others);
    expect(reads).toEqual(['full 1', 'full 2', 'delta 2 3']);
    fail(new Error('the database went away'));
    states.forget(1);
    const failed = await Promise.allSettled([states.get(key(2)), states.get(key(3))]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fail(undefined);
    expect((await states.get(key(3))).pods.count).toBe(2);
  });

  it('are loaded completely for three clusters at a time, so that the pool has connections for others', async () => {
    const { states, reads, hold } = setUp({ 1: FIRST });
    const open = hold();
    const loads = [1, 2, 3, 4, 5].map((cluster) => states.get(key(1, KINDS, cluster)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(reads).toHaveLength(3);
    open();
    await Promise.all(loads);
    expect(reads).toHaveLength(5);
    expect(states.loaded().states).toBe(5);
  });

  it('that are released make room, and are loaded again when they are asked for', async () => {
    const { states, reads } = setUp({ 1: FIRST });
    await Promise.all([1, 2].map((cluster) => states.get(key(1, KINDS, cluster))));
    states.release(1);
    expect([states.knows(1), states.knows(2), states.loaded().states]).toEqual([false, true, 1]);
    await states.get(key(1));
    expect(reads).toEqual(['full 1', 'full 1', 'full 1']);
  });

  it('of other clusters are not looked at when something happens in one of many', async () => {
    const { states } = setUp({ 1: FIRST, 2: SECOND });
    for (let cluster = 1; cluster <= 300; cluster++) await states.get(key(1, KINDS, cluster));
    const inMemory = states.loaded();
    const happens = async () => {
      expect([states.knows(200), states.knows(301)]).toEqual([true, false]);
      await states.follow(key(2, KINDS, 200));
      states.adopt(key(3, KINDS, 200), await states.get(key(2, KINDS, 200)), await states.get(key(2, KINDS, 200)));
      states.release(200);
      states.forget(201);
    };
    expect(await visited(happens)).toBeLessThan(200);
    expect(states.loaded().states).toBe(298);
    expect(states.loaded().bytes).toBeCloseTo((inMemory.bytes * 298) / 300);
  });

  it('count as much as those that are in memory, whatever came and went', async () => {
    const { states, hold, fail } = setUp({ 1: FIRST, 2: SECOND });
    const first = await states.get(key(1));
    const second = await states.get(key(2));
    states.adopt(key(3), second, first);
    states.adopt(key(2), second, first);
    // The values of the others count in it, too, because they share their tables.
    await states.get(key(1));
    expect(states.loaded()).toEqual({ states: 3, bytes: first.approximateBytes + 2 * second.approximateBytes });
    const open = hold();
    const dropped = states.get(key(1, KINDS, 2));
    states.forget(2);
    open();
    await dropped;
    fail(new Error('the database went away'));
    await expect(states.get(key(1, KINDS, 3))).rejects.toThrow('went away');
    expect(states.loaded().states).toBe(3);
    states.release(1);
    expect(states.loaded()).toEqual({ states: 0, bytes: 0 });
  });

  it('count what questions have read of them when they are used again, and are dropped for it', async () => {
    const { content } = pod('x', 'a');
    const objects = Array.from(
      { length: 50 },
      (_, index): KubernetesObject => JSON.parse(content.replace(`"x"`, `"p${index}"`)) as KubernetesObject,
    );
    const builder = new ClusterStateBuilder(['Node', 'Pod']);
    for (const part of ClusterState.build(objects, ['Node', 'Pod']).image()) {
      if (part === undefined) continue;
      const texts = part.texts.map(({ read }) => ({ bytes: 10, read }));
      Array.from(builder.restore({ ...part, texts }));
    }
    const state = builder.finish();
    const first = await setUp({ 1: FIRST }).states.get(key(1));
    const before = state.approximateBytes;
    const { states } = setUp({ 1: FIRST }, first.approximateBytes + before);
    await states.get(key(1));
    states.adopt(key(2), state, state);
    expect(states.loaded()).toEqual({ states: 2, bytes: first.approximateBytes + before });
    expect(state.pods.indexOf('default', 'p1')).toBe(1);
    expect(state.approximateBytes).toBeGreaterThan(before);
    await states.get(key(2));
    expect(states.loaded()).toEqual({ states: 1, bytes: state.approximateBytes });
  });

  it('of one cluster are never created from those of another', async () => {
    const { states, reads } = setUp({ 1: FIRST, 2: SECOND });
    await states.get(key(1, KINDS, 1));
    await states.get(key(2, KINDS, 2));
    expect(reads).toEqual(['full 1', 'full 2']);
  });
});

/** An image of one revision, and what is noted for the next. */
class OneImage {
  readonly noted: { revision: number; state: LoadedState; changed: number | undefined }[] = [];
  readonly forgotten: number[] = [];
  readonly looked: number[] = [];
  behind = Promise.resolve();

  constructor(private readonly image?: RestoredState) {}

  restore(): Promise<RestoredState | undefined> {
    return Promise.resolve(this.image);
  }

  note({ revision }: StateKey, state: LoadedState, changed?: number): void {
    this.noted.push({ revision, state, changed });
  }

  forget(clusterId: number): void {
    this.forgotten.push(clusterId);
  }

  caughtUp(): Promise<void> {
    return this.behind;
  }

  lookAgain(clusterId: number): void {
    this.looked.push(clusterId);
  }

  made(): Promise<void> {
    return Promise.resolve();
  }
}

const imageOf = (revision: number): OneImage =>
  new OneImage({
    revision,
    state: ClusterState.build(
      FIRST.map(({ content }) => JSON.parse(content) as never),
      ['Node', 'Pod'],
    ),
  });

describe('the images of loaded states', () => {
  it('are noted after each load, with what has changed, and let go of states that the budget drops', async () => {
    const images = imageOf(1);
    const { states, kinds } = setUp({ 1: FIRST, 2: SECOND, 3: FIRST }, 1, images);
    const second = await states.get(key(2));
    const third = await states.get(key(3));
    const fourth = second.apply({ deletes: [{ kind: 'Node', name: 'a' }] });
    states.adopt(key(4), fourth, third);
    expect(kinds).toEqual(['image', 'delta']);
    expect(images.noted.map(({ revision, changed, state }) => [revision, changed, state.size])).toEqual([
      [2, expect.any(Number), second.size],
      [3, expect.any(Number), third.size],
      [4, 1, fourth.size],
    ]);
    expect(images.noted.map(({ state }) => state.current() === undefined)).toEqual([true, true, false]);
    expect(images.noted[2]!.state.current()).toBe(fourth);
  });

  it('are forgotten if their revision no longer exists, so that the complete load makes one', async () => {
    const images = imageOf(1);
    const { states, kinds } = setUp({ 2: SECOND }, 1e9, images);
    const state = await states.get(key(2));
    expect(contentOf(state)).toEqual(contentOf(await setUp({ 2: SECOND }).states.get(key(2))));
    expect([kinds, images.forgotten]).toEqual([['full'], [1]]);
    expect(images.noted.map(({ revision, changed }) => [revision, changed])).toEqual([[2, undefined]]);
  });

  it('replace states that were loaded from objects and are not in use, in a fraction of the memory', async () => {
    const images = new OneImage();
    const { states, kinds } = setUp({ 1: FIRST, 2: SECOND }, 1e9, images);
    const large = await states.get(key(1));
    const { state: noted } = images.noted[0]!;
    const restored = ClusterState.build([], ['Node', 'Pod']);
    await noted.replace(large, () => Promise.resolve(restored));
    expect(await states.get(key(1))).toBe(restored);
    expect(states.loaded()).toEqual({ states: 1, bytes: restored.approximateBytes });
    expect(kinds).toEqual(['full']);
    // Newer heads are made of it.
    expect((await states.get(key(2))).pods.count).toBe(2);
  });

  it('keep nothing in memory of a state that they replace', async () => {
    const images = new OneImage();
    const { states } = setUp({ 1: FIRST }, 1e9, images);
    const large = await (async () => {
      const state = await states.get(key(1));
      await images.noted.pop()!.state.replace(state, () => Promise.resolve(ClusterState.build([], ['Node', 'Pod'])));
      return new WeakRef(state);
    })();
    await collected();
    expect(large.deref()).toBeUndefined();
    expect(states.has(key(1))).toBe(true);
  });

  it.each<[string, (states: ClusterStates) => unknown]>([
    ['that has been used again', (states) => states.get(key(1))],
    ['of which another one was made', (states) => states.follow(key(2))],
    ['that was dropped', (states) => states.release(1)],
  ])('do not replace a state %s, before it is restored or meanwhile', async (_, happens) => {
    const setUpOf = async () => {
      const images = new OneImage();
      const { states } = setUp({ 1: FIRST, 2: SECOND }, 1e9, images);
      const large = await states.get(key(1));
      return { states, large, replace: images.noted[0]!.state.replace };
    };
    const restored = ClusterState.build([], ['Node', 'Pod']);
    const before = await setUpOf();
    await happens(before.states);
    await before.replace(before.large, () => Promise.reject(new Error('it is not restored')));
    const meanwhile = await setUpOf();
    await meanwhile.replace(meanwhile.large, async () => {
      await happens(meanwhile.states);
      return restored;
    });
    for (const { states } of [before, meanwhile]) expect((await states.get(key(1))).pods.count).toBe(2);
  });

  it('are made of states that were loaded from objects even if the budget drops these, and the next wait for that', async () => {
    const images = new OneImage();
    const { states, reads } = setUp({ 1: FIRST }, 1, images);
    const first = await states.get(key(1));
    await states.get(key(1, KINDS, 2));
    expect(states.knows(1)).toBe(false);
    expect(images.noted[0]!.state.current()).toBe(first);
    let catchUp!: () => void;
    images.behind = new Promise((resolve) => (catchUp = resolve));
    const next = states.get(key(1, KINDS, 3));
    await new Promise((resolve) => setImmediate(resolve));
    expect(reads).toHaveLength(2);
    catchUp();
    expect((await next).pods.count).toBe(2);
    expect(reads).toHaveLength(3);
  });
});
