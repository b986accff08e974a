import type { listClusters } from '../../contract/clusters/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { ClusterStore } from '../../storage/cluster-store.js';
import { readLabelSelector } from '../label-selector-parameter.js';
import { pageOf } from '../paging/page.js';
import { mapPage } from '../paging/page-by-position.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { renderCluster } from './cluster-response.js';

/** Lists the clusters that the caller may see and a label selector matches, sorted by name. */
export class ListClusters {
  constructor(private readonly clusters: ClusterStore) {}

  async run(
    { labelSelector, page }: RequestOf<typeof listClusters>,
    { access }: RequestContext,
  ): Promise<AnswerTo<typeof listClusters>> {
    const selector = readLabelSelector(labelSelector);
    const all = await this.clusters.list();
    const picked = all.filter(({ name, labels }) => access.may('read', name) && selector?.matches(labels) !== false);
    const cut = pageOf(picked, (cluster) => cluster.name, page, ['clusters', labelSelector]);
    return { page: mapPage(cut, renderCluster) };
  }
}
