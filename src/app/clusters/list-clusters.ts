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
    const picked = (await this.clusters.names(selector)).filter((name) => access.may('read', name));
    const cut = pageOf(picked, (name) => name, page, ['clusters', labelSelector]);
    const found = await Promise.all(cut.items.map(({ item: name }) => this.clusters.get(name)));
    // One that was deleted meanwhile is left out.
    const items = cut.items.filter((_, index) => found[index] !== undefined);
    const rows = new Map(found.map((cluster) => [cluster?.name, cluster]));
    return { page: mapPage({ ...cut, items }, (name) => renderCluster(rows.get(name)!)) };
  }
}
