import { describe, expect, it } from '@jest/globals';
import type { FollowStatus } from './follow-status.js';
import { followedCluster } from './followed-cluster.js';

const NOW = new Date('2026-06-01T12:00:00Z');

describe('followedCluster', () => {
  it('says that nobody follows the cluster yet, before a follower has stored something', () => {
    expect(followedCluster(undefined, NOW)).toMatchObject({
      since: null,
      message: 'no replica of the service follows the cluster yet',
      kinds: [],
    });
  });

  it('says since when it is followed, and how long ago each kind was heard of, in whole seconds', () => {
    const kind = { state: 'watching', since: '2026-06-01T11:00:00Z', resourceVersion: '7' } as const;
    const quiet = { message: null, nextTry: null, rule: null };
    const status: FollowStatus = {
      since: '2026-06-01T10:00:00Z',
      message: null,
      kinds: [
        { kind: 'Node', ...kind, ...quiet, lastSeenAt: '2026-06-01T11:59:57.500Z' },
        { kind: 'Pod', ...kind, ...quiet, lastSeenAt: null },
      ],
    };

    const followed = followedCluster(status, NOW);

    expect(followed).toMatchObject({ since: new Date('2026-06-01T10:00:00Z'), message: null });
    expect(followed.kinds).toMatchObject([
      { kind: 'Node', since: new Date('2026-06-01T11:00:00Z'), behindSeconds: 2 },
      { kind: 'Pod', lastSeenAt: null, behindSeconds: null },
    ]);
  });
});
