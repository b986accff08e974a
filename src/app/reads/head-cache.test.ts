import { describe, expect, it } from '@jest/globals';
import type { Revision } from '../../storage/revision.js';
import { HeadCache, type Head } from './head-cache.js';

/** A database that answers reads when the test decides, and a feed that the test can disconnect. */
function setUp() {
  const stored = new Map<string, Head>();
  let reads = 0;
  let gate: Promise<void> = Promise.resolve();
  const feed: { connection: number | undefined } = { connection: 1 };
  const cache = new HeadCache(
    {
      read: async (name) => {
        reads += 1;
        const head = stored.get(name);
        await gate;
        return head;
      },
    },
    feed,
  );
  const store = (name: string, id: number, number: number) => {
    const revision = { clusterId: id, number } as Revision;
    const cluster = { id, name, labels: {}, createdAt: new Date(0), headRevision: number };
    stored.set(name, { cluster, revision, currentAt: null });
  };
  const hold = () => {
    let open!: () => void;
    gate = new Promise((resolve) => (open = resolve));
    return open;
  };
  const headOf = async (name: string) => (await cache.get(name))?.cluster.headRevision;
  return { cache, feed, store, hold, headOf, reads: () => reads };
}

describe('the cache of heads', () => {
  it('reads a head from the database once, even for concurrent requests', async () => {
    const { store, headOf, reads } = setUp();
    store('a', 1, 7);
    expect(await Promise.all([headOf('a'), headOf('a'), headOf('a')])).toEqual([7, 7, 7]);
    expect(await headOf('a')).toBe(7);
    expect(reads()).toBe(1);
  });

  it('does not cache that a cluster is absent', async () => {
    const { store, headOf } = setUp();
    expect(await headOf('a')).toBeUndefined();
    store('a', 1, 1);
    expect(await headOf('a')).toBe(1);
  });

  it('rereads clusters that were reported as changed, and keeps the others', async () => {
    const { cache, store, headOf, reads } = setUp();
    store('a', 1, 7);
    store('b', 2, 3);
    await headOf('a');
    await headOf('b');
    store('a', 1, 8);
    cache.changed(1, 8);
    expect(await headOf('a')).toBe(8);
    expect(await headOf('b')).toBe(3);
    expect(reads()).toBe(3);
  });

  it('keeps entries that are as new as the report', async () => {
    const { cache, store, headOf, reads } = setUp();
    store('a', 1, 8);
    await headOf('a');
    cache.changed(1, 8);
    await headOf('a');
    expect(reads()).toBe(1);
    cache.changed(1);
    await headOf('a');
    expect(reads()).toBe(2);
  });

  it('keeps until when a head is known to be current, which only grows', async () => {
    const { cache, store, reads } = setUp();
    store('a', 1, 7);
    store('b', 2, 3);
    await cache.get('a');
    await cache.get('b');
    cache.current(1, new Date('2026-06-01T00:01:00Z'));
    cache.current(1, new Date('2026-06-01T00:00:00Z'));
    expect((await cache.get('a'))?.currentAt).toEqual(new Date('2026-06-01T00:01:00Z'));
    expect((await cache.get('b'))?.currentAt).toBeNull();
    expect(reads()).toBe(2);
  });

  it('neither caches nor shares a read that started before a change', async () => {
    const { cache, store, headOf, hold } = setUp();
    store('a', 1, 7);
    const open = hold();
    const early = headOf('a');
    store('a', 1, 8);
    cache.changed(1, 8);
    const late = headOf('a');
    open();
    expect(await early).toBe(7);
    expect(await late).toBe(8);
    expect(await headOf('a')).toBe(8);
  });

  it('serves no cached entries while the feed is disconnected, nor earlier ones afterwards', async () => {
    const { feed, store, headOf, reads } = setUp();
    store('a', 1, 7);
    await headOf('a');
    feed.connection = undefined;
    store('a', 1, 9);
    expect(await headOf('a')).toBe(9);
    expect(await headOf('a')).toBe(9);
    expect(reads()).toBe(3);
    feed.connection = 2;
    store('a', 1, 10);
    expect(await headOf('a')).toBe(10);
  });

  it('does not cache reads that span a gap in the feed', async () => {
    const { feed, store, headOf, hold } = setUp();
    store('a', 1, 7);
    const open = hold();
    const early = headOf('a');
    feed.connection = 2;
    store('a', 1, 8);
    open();
    await early;
    expect(await headOf('a')).toBe(8);
  });

  it('does not cache a failure', async () => {
    let fail = true;
    const failing = new HeadCache(
      { read: () => (fail ? Promise.reject(new Error('down')) : Promise.resolve(undefined)) },
      { connection: 1 },
    );
    await expect(failing.get('a')).rejects.toThrow('down');
    fail = false;
    expect(await failing.get('a')).toBeUndefined();
  });
});
