import { describe, expect, it } from '@jest/globals';
import type { Revision } from '../../storage/revision.js';
import { HeadCache } from '../reads/head-cache.js';
import { FollowHeads } from './follow-heads.js';

const revision = (number: number) => ({ clusterId: 1, number, loadedKinds: [] }) as unknown as Revision;

/** A process that has the head 7 of a cluster in memory, with its state. */
async function setUp() {
  const cluster = { id: 1, name: 'a', labels: {}, createdAt: new Date(0), headRevision: 7 };
  const heads = new HeadCache(
    { read: () => Promise.resolve({ cluster, revision: revision(7), currentAt: null }) },
    { connection: 1 },
  );
  const head = (await heads.get('a'))!;
  const read: number[] = [];
  const followed: number[] = [];
  const follow = new FollowHeads(
    heads,
    {
      knows: () => true,
      follow: (key) => {
        followed.push(key.revision);
        return Promise.resolve();
      },
      forget: () => undefined,
    },
    {
      get: (_, number) => {
        read.push(number);
        return Promise.resolve(revision(number));
      },
    },
    { forget: () => undefined },
  );
  const hear = (number: number) => follow.hear({ type: 'head', clusterId: 1, revision: number });
  return { heads, head, hear, read, followed };
}

describe('a head that is heard of', () => {
  it('is read from the database if another process stored it', async () => {
    const { hear, read, followed } = await setUp();
    await hear(8);
    expect({ read, followed }).toEqual({ read: [8], followed: [8] });
  });

  it('is not read if this process stored it, though its commit has not been answered', async () => {
    const { heads, head, hear, read, followed } = await setUp();
    const settled = heads.committing(1);
    const heard = hear(8);
    heads.advance(head, revision(8));
    settled();
    await heard;
    expect({ read, followed }).toEqual({ read: [], followed: [8] });
  });

  it('is read if the commit of this process failed, and another process stored it', async () => {
    const { heads, hear, read } = await setUp();
    const settled = heads.committing(1);
    const heard = hear(8);
    heads.changed(1);
    settled();
    await heard;
    expect(read).toEqual([8]);
  });

  it('waits for every commit that is under way', async () => {
    const { heads, head, hear, read } = await setUp();
    const [first, second] = [heads.committing(1), heads.committing(1)];
    const heard = hear(8);
    first();
    heads.advance(head, revision(8));
    second();
    await heard;
    expect(read).toEqual([]);
    expect(heads.settled(1)).toBeUndefined();
  });
});
