import { ClusterStore } from '../../storage/cluster-store.js';
import { ClusterNotFound } from '../../storage/storage-error.js';
import { TrailCatalogue, type Trail } from '../../storage/taint-trail/trail-catalogue.js';
import { checkClusterName } from '../clusters/cluster-name.js';
import { ServiceError } from '../errors/service-error.js';

/** Selects a chain of records: several clusters may have had the same name, one after another. */
export interface TrailSelection {
  readonly cluster: string;
  /** Id of the cluster; by default that of the existing cluster, or else the last one with the name. */
  readonly trail?: number | bigint;
}

/** Finds the trail of an existing or deleted cluster. */
export class SelectTrail {
  constructor(
    private readonly clusters: ClusterStore,
    private readonly catalogue: TrailCatalogue,
  ) {}

  /**
   * @throws {ClusterNotFound} no cluster has or had the name
   * @throws {ServiceError} `trail-not-found`: no cluster of this name has or had the id
   */
  async run({ cluster, trail }: TrailSelection): Promise<Trail> {
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
      `No cluster named ${JSON.stringify(cluster)} has or had the id ${id}; its trails are ${all.map((one) => one.clusterId).join(', ')}.`,
    );
  }
}

/** A trail without records. */
export function emptyTrail(clusterId: number, cluster: string): Trail {
  return { clusterId, cluster, recordCount: 0, firstAt: null, lastAt: null, hash: null, closedAt: null };
}
