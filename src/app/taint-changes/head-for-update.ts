import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { ClusterStore } from '../../storage/cluster-store.js';
import type { HeadCache } from '../reads/head-cache.js';
import type { ResolvedRevision, ResolveRevision } from '../reads/resolve-revision.js';
import type { RequestContext } from '../request-context.js';
import type { ClusterStates } from '../states/cluster-states.js';

/** The head of a cluster and its state, to be changed. */
export interface Working extends ResolvedRevision {
  readonly state: ClusterState;
}

/** What a change needs of the request that it comes with; one that the service makes by itself has no caller. */
export type ChangeContext = Pick<RequestContext, 'now' | 'signal'> &
  Partial<Pick<RequestContext, 'access' | 'withheld'>>;

/** Reads the head that a change is worked out on, and takes note of the one that the change has made. */
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
    const { clusterId, number: revision, loadedKinds } = resolved.revision;
    const state = await this.states.get({ clusterId, revision, loadedKinds }, signal);
    if (access?.seesTaintValues(cluster) === false) withheld?.addState(state);
    return { ...resolved, state };
  }

  /** Whether it is the head still, by the database itself. */
  async isNewest({ cluster, revision }: Working): Promise<boolean> {
    return (await this.clusters.getById(cluster.id))?.headRevision === revision.number;
  }

  /** The head has moved, and nothing is known of how. */
  moved({ cluster }: Working): void {
    this.heads.changed(cluster.id);
  }

  /** The head has moved by a change of this state: whoever asks next need not read it from the database. */
  advanced(
    { cluster, revision, state }: Working,
    to: { readonly revision: number; readonly state: ClusterState },
  ): void {
    const key = { clusterId: cluster.id, revision: to.revision, loadedKinds: revision.loadedKinds };
    this.states.adopt(key, to.state, state);
    this.heads.changed(cluster.id);
  }
}
