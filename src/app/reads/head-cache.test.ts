import { describe, expect, it } from '@jest/globals';
import { visited } from '../../../test/support/visited.js';
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

  describe('after this process has stored the next revision', () => {
    const made = (number: number, clusterId = 1) => ({ clusterId, number }) as Revision;
    async function known() {
      const set = setUp();
      set.store('a', 1, 7);
      const head = (await set.cache.get('a'))!;
      return { ...set, head };
    }

    it('knows the new head without a read, whether its notification comes before or after', async () => {
      for (const early of [true, false]) {
        const { cache, head, headOf, reads } = await known();
        cache.current(1, new Date('2026-06-01T00:01:00Z'));
        if (early) cache.changed(1, 8);
        cache.advance(head, made(8));
        if (!early) cache.changed(1, 8);
        expect(await cache.get('a')).toEqual({
          cluster: { ...head.cluster, headRevision: 8 },
          revision: made(8),
          currentAt: new Date('2026-06-01T00:01:00Z'),
        });
        expect(cache.known(1, 8)).toEqual(made(8));
        cache.advance((await cache.get('a'))!, made(9));
        expect(await headOf('a')).toBe(9);
        expect(reads()).toBe(1);
      }
    });

    it('reads the head that is known to have moved, and not yet known', async () => {
      const { cache, store, headOf } = await known();
      cache.changed(1, 8);
      expect(cache.known(1, 7)).toBeUndefined();
      store('a', 1, 8);
      expect(await headOf('a')).toBe(8);
    });

    it('reads a head that others have stored after it', async () => {
      for (const order of ['before', 'between', 'after']) {
        const { cache, head, store, headOf } = await known();
        store('a', 1, 9);
        if (order === 'between') cache.changed(1, 8);
        if (order !== 'after') cache.changed(1, 9);
        cache.advance(head, made(8));
        if (order === 'after') cache.changed(1, 9);
        expect(await headOf('a')).toBe(9);
      }
    });

    it('reads the cluster again if its labels have changed, or it was deleted and created again', async () => {
      const { cache, head, store, headOf } = await known();
      cache.changed(1);
      cache.advance(head, made(8));
      store('a', 2, 1);
      expect(await headOf('a')).toBe(1);
      cache.advance(head, made(8));
      expect(await headOf('a')).toBe(1);
    });

    it('reads the head again after a gap in the feed, or while another read is pending', async () => {
      const { cache, feed, head, store, headOf, hold } = await known();
      feed.connection = 2;
      cache.advance(head, made(8));
      store('a', 1, 9);
      expect(await headOf('a')).toBe(9);
      cache.changed(1);
      const open = hold();
      const pending = headOf('a');
      cache.advance({ cluster: { ...head.cluster, headRevision: 9 }, revision: made(9) }, made(10));
      store('a', 1, 11);
      const next = headOf('a');
      open();
      expect(await pending).toBe(9);
      expect(await next).toBe(11);
    });
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

  it('looks at no other cluster when something happens in one of many', async () => {
    const { cache, store, headOf, reads } = setUp();
    for (let id = 1; id <= 500; id++) {
      store(`c${id}`, id, 7);
      await headOf(`c${id}`);
    }
    const happens = () => {
      expect(cache.known(300, 7)).toBeDefined();
      cache.current(300, new Date());
      cache.changed(300, 8);
      cache.changed(400);
    };
    expect(await visited(happens)).toBeLessThan(20);
    for (let id = 1; id <= 500; id++) await headOf(`c${id}`);
    expect(reads()).toBe(502);
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
