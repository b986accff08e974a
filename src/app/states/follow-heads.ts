import type { HeadEvent } from '../../storage/head-listener.js';
import type { RevisionStore } from '../../storage/revision-store.js';
import type { HeadCache } from '../reads/head-cache.js';
import type { ClusterStates } from './cluster-states.js';

/** Keeps heads and states in step with what is heard of clusters: new heads, here or in other replicas; deletions. */
export class FollowHeads {
  constructor(
    private readonly heads: Pick<HeadCache, 'changed'>,
    private readonly states: Pick<ClusterStates, 'knows' | 'follow' | 'forget'>,
    private readonly revisions: Pick<RevisionStore, 'get'>,
  ) {}

  /**
   * What is out of date is forgotten before this returns; the promise ends when a new head has been loaded where an older
   * state of its cluster was. Whoever asks for it meanwhile joins the load.
   */
  async hear(event: HeadEvent): Promise<void> {
    const { clusterId } = event;
    if (event.type === 'trail') return;
    if (event.type !== 'head') {
      this.heads.changed(clusterId);
      if (event.type === 'deleted') this.states.forget(clusterId);
      return;
    }
    const { revision } = event;
    this.heads.changed(clusterId, revision);
    if (!this.states.knows(clusterId)) return;
    const head = await this.revisions.get(clusterId, revision);
    if (head !== undefined) await this.states.follow({ clusterId, revision, loadedKinds: head.loadedKinds });
  }
}
