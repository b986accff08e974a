import { MOST_CLUSTERS } from '../contract/limits.js';
import type { Permission } from '../auth/permission.js';
import { ClusterStore, type Cluster } from '../storage/cluster-store.js';
import { authorize } from './authorize.js';
import type { ServiceError } from './errors/service-error.js';
import { serviceErrorOf } from './errors/service-error-of.js';
import { readLabelSelector } from './label-selector-parameter.js';
import type { Page, PageRequest } from '../contract/page.js';
import { pageOf } from './paging/page.js';
import type { RequestContext } from './request-context.js';

export { MOST_CLUSTERS };

/** Clusters that are asked at the same time: loading their states is what takes time, and memory. */
const AT_ONCE = 4;

export interface AcrossClustersRequest {
  /** kubectl's syntax; absent: every cluster. */
  readonly clusterSelector?: string | undefined;
  /** A page of clusters; its size is capped by MOST_CLUSTERS. */
  readonly page: PageRequest;
  /** What besides the selector makes the list; a token fits only the same. */
  readonly question: readonly (string | number | boolean | undefined)[];
  /** What the caller needs for each cluster; one that lacks it answers with `forbidden`. Unless told: `read`. */
  readonly needs?: Permission;
}

/** What one cluster said: an answer, or why it has none. */
export type ClusterAnswer<Answer> =
  | { readonly cluster: Cluster; readonly answer: Answer; readonly error: null }
  | { readonly cluster: Cluster; readonly answer: null; readonly error: ServiceError };

/** Asks one question of every cluster that the caller sees and a selector picks, in the order of their names. */
export class AcrossClusters {
  constructor(private readonly clusters: ClusterStore) {}

  /**
   * Each cluster answers for itself: the failure of one is its own. Only a few are asked at a time.
   *
   * @param ask answers for one cluster
   * @param edge whose signal stops those that have not begun
   * @throws {InvalidRequestError} the selector cannot be read
   * @throws {ServiceError} `cancelled`; `invalid-continue-token`
   */
  async run<Answer>(
    { clusterSelector, page, question, needs = 'read' }: AcrossClustersRequest,
    ask: (cluster: Cluster) => Promise<Answer>,
    edge: RequestContext,
  ): Promise<Page<ClusterAnswer<Answer>>> {
    const selector = readLabelSelector(clusterSelector, 'clusterSelector');
    const all = await this.clusters.list();
    const picked = all.filter(({ name, labels }) => edge.access.sees(name) && selector?.matches(labels) !== false);
    const capped = { ...page, size: Math.min(page.size, MOST_CLUSTERS) };
    const asked = pageOf(picked, ({ name }) => name, capped, ['across', clusterSelector, ...question]);
    const answers = new Array<ClusterAnswer<Answer>>(asked.items.length);
    const waiting = asked.items.entries();
    const worker = async (): Promise<void> => {
      for (const [index, { item: cluster }] of waiting) {
        edge.signal.throwIfAborted();
        answers[index] = await answerOf(cluster, async (allowed) => {
          authorize(edge, needs, allowed.name);
          return ask(allowed);
        });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return { ...asked, items: asked.items.map(({ token }, index) => ({ item: answers[index]!, token })) };
  }
}

async function answerOf<Answer>(
  cluster: Cluster,
  ask: (cluster: Cluster) => Promise<Answer>,
): Promise<ClusterAnswer<Answer>> {
  try {
    return { cluster, answer: await ask(cluster), error: null };
  } catch (thrown) {
    const error = serviceErrorOf(thrown);
    // The caller has gone, or nobody has an answer: no cluster's own fault.
    if (error.code === 'cancelled' || error.code === 'shutting-down') throw error;
    return { cluster, answer: null, error };
  }
}
