import type { HeadEvent } from '../../storage/head-listener.js';
import type { RevisionStore } from '../../storage/revision-store.js';
import type { HeadCache } from '../reads/head-cache.js';
import type { ClusterStates } from './cluster-states.js';
import type { KeptDigests } from './kept-digests.js';
import { stateKeyOf } from './state-key.js';

/** Updates cached heads and states when clusters change: new heads, of this or another replica, and deletions. */
export class FollowHeads {
  constructor(
    private readonly heads: Pick<HeadCache, 'changed' | 'current' | 'known' | 'settled'>,
    private readonly states: Pick<ClusterStates, 'knows' | 'follow' | 'forget'>,
    private readonly revisions: Pick<RevisionStore, 'get'>,
    private readonly digests: Pick<KeptDigests, 'forget'>,
  ) {}

  /**
   * Invalidates outdated entries synchronously; resolves when the new head of a loaded cluster has been loaded.
   * Concurrent requests for it join the load.
   */
  async hear(event: HeadEvent): Promise<void> {
    const { clusterId } = event;
    if (event.type === 'trail' || event.type === 'outbox' || event.type === 'connection') return;
    if (event.type === 'current') {
      this.heads.current(clusterId, new Date(event.at));
      return;
    }
    if (event.type !== 'head') {
      this.heads.changed(clusterId);
      if (event.type !== 'deleted') return;
      this.states.forget(clusterId);
      this.digests.forget(clusterId);
      return;
    }
    const { revision } = event;
    this.heads.changed(clusterId, revision);
    if (!this.states.knows(clusterId)) return;
    // The head may be one that this process commits, whose state it has.
    await this.heads.settled(clusterId);
    const head = this.heads.known(clusterId, revision) ?? (await this.revisions.get(clusterId, revision));
    if (head !== undefined) await this.states.follow(stateKeyOf(head));
  }
}
