import { ClusterStore } from '../../storage/cluster-store.js';
import { ClusterNotFound } from '../../storage/storage-error.js';
import { TrailCatalogue, type Trail } from '../../storage/taint-trail/trail-catalogue.js';
import { checkClusterName } from '../clusters/cluster-name.js';
import { ServiceError } from '../errors/service-error.js';

/** Which chain of records: a name may be that of several clusters, one after another. */
export interface TrailWish {
  readonly cluster: string;
  /** The id of the cluster; absent: the one that there is, else the last one of the name. */
  readonly trail?: number | bigint;
}

/** Finds the trail that a question is about, of clusters that are there and of those that were deleted. */
export class SelectTrail {
  constructor(
    private readonly clusters: ClusterStore,
    private readonly catalogue: TrailCatalogue,
  ) {}

  /**
   * @throws {ClusterNotFound} no cluster has or had the name
   * @throws {ServiceError} `trail-not-found`: none of those had this id
   */
  async run({ cluster, trail }: TrailWish): Promise<Trail> {
    checkClusterName(cluster);
    const [living, kept] = await Promise.all([this.clusters.get(cluster), this.catalogue.named(cluster)]);
    const begun = living === undefined ? undefined : kept.find(({ clusterId }) => clusterId === living.id);
    const all = living === undefined || begun !== undefined ? kept : [emptyTrail(living.id, cluster), ...kept];
    if (all.length === 0) throw new ClusterNotFound(cluster);
    const id = trail === undefined ? living?.id : Number(trail);
    const found = id === undefined ? all[0] : all.find(({ clusterId }) => clusterId === id);
    if (found !== undefined) return found;
    throw new ServiceError(
      'trail-not-found',
      `No cluster ${JSON.stringify(cluster)} has or had the id ${id}; its trails are ${all.map((one) => one.clusterId).join(', ')}.`,
    );
  }
}

/** A trail without a record. */
export function emptyTrail(clusterId: number, cluster: string): Trail {
  return { clusterId, cluster, recordCount: 0, firstAt: null, lastAt: null, hash: null, closedAt: null };
}
