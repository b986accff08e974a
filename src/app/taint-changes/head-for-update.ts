import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { ClusterStore } from '../../storage/cluster-store.js';
import type { Revision } from '../../storage/revision.js';
import type { HeadCache } from '../reads/head-cache.js';
import type { ResolvedRevision, ResolveRevision } from '../reads/resolve-revision.js';
import type { RequestContext } from '../request-context.js';
import type { ClusterStates } from '../states/cluster-states.js';
import { stateKeyOf } from '../states/state-key.js';

/** The head of a cluster and its state, to be changed. */
export interface Working extends ResolvedRevision {
  readonly state: ClusterState;
}

/** What a change needs of the request that it comes with; one that the service makes by itself has no caller. */
export type ChangeContext = Pick<RequestContext, 'now' | 'signal'> &
  Partial<Pick<RequestContext, 'access' | 'withheld'>>;

/** Reads the head that a change is computed on, and updates the caches with the new one. */
export class HeadForUpdate {
  constructor(
    private readonly resolveRevision: ResolveRevision,
    private readonly states: ClusterStates,
    private readonly heads: HeadCache,
    private readonly clusters: Pick<ClusterStore, 'getById'>,
  ) {}

  /** @throws {ServiceError} `cluster-not-found`, `no-snapshot` */
  async current(cluster: string, { now, signal, access, withheld }: ChangeContext): Promise<Working> {
    const resolved = await this.resolveRevision.resolve(cluster, {}, now);
    const state = await this.states.get(stateKeyOf(resolved.revision), { signal });
    if (access?.seesTaintValues(cluster) === false) withheld?.addState(state);
    return { ...resolved, state };
  }

  /** Whether it is still the head, according to the database. */
  async isNewest({ cluster, revision }: Working): Promise<boolean> {
    return (await this.clusters.getById(cluster.id))?.headRevision === revision.number;
  }

  /** Invalidates the head after an unknown change. */
  moved({ cluster }: Working): void {
    this.heads.changed(cluster.id);
  }

  /**
   * Notes that a change of this head is being committed.
   * @returns a function to call once `advanced` or `moved` was called
   */
  committing({ cluster }: Working): () => void {
    return this.heads.committing(cluster.id);
  }

  /** Caches the new head after a change of this state, so that it need not be read from the database. */
  advanced(
    { cluster, revision, state }: Working,
    to: { readonly revision: Revision; readonly state: ClusterState },
  ): void {
    this.states.adopt(stateKeyOf(to.revision), to.state, state);
    this.heads.advance({ cluster, revision }, to.revision);
  }
}
