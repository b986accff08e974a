import type { Access } from '../../auth/access.js';
import { ClusterStore, type Cluster } from '../../storage/cluster-store.js';
import { readLabelSelector } from '../label-selector-parameter.js';
import type { Page, PageRequest } from '../../contract/page.js';
import { pageOf } from '../paging/page.js';

export interface ListClustersRequest {
  /** kubectl's syntax: `env=prod,tier!=dev,region in (eu,us)`. */
  readonly labelSelector?: string;
  readonly page: PageRequest;
}

/** The clusters that the caller sees, by name, those that a label selector picks. */
export class ListClusters {
  constructor(private readonly clusters: ClusterStore) {}

  async run({ labelSelector, page }: ListClustersRequest, { access }: { access: Access }): Promise<Page<Cluster>> {
    const selector = readLabelSelector(labelSelector);
    const all = await this.clusters.list();
    const picked = all.filter(({ name, labels }) => access.may('read', name) && selector?.matches(labels) !== false);
    return pageOf(picked, (cluster) => cluster.name, page, ['clusters', labelSelector]);
  }
}
