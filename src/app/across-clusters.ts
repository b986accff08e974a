import { MOST_CLUSTERS } from '../contract/limits.js';
import type { Permission } from '../auth/permission.js';
import { ClusterStore, type Cluster } from '../storage/cluster-store.js';
import { authorize } from './authorize.js';
import type { ServiceError } from './errors/service-error.js';
import { serviceErrorOf } from './errors/service-error-of.js';
import { readLabelSelector } from './label-selector-parameter.js';
import type { ClusterOutcome as AnswerOfCluster } from '../contract/question.js';
import { DEFAULT_PAGE_SIZE, type Page, type PageRequest } from '../contract/page.js';
import { pageOf } from './paging/page.js';
import { mapPage } from './paging/page-by-position.js';
import type { ReadAt } from './reads/read-at.js';
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
  /** What the caller needs for each cluster; one that lacks it answers with `forbidden`. By default `read`. */
  readonly needs?: Permission;
}

/** What a request says of all clusters, and of each. */
export interface ListAcrossRequest {
  readonly clusterSelector?: string | undefined;
  /** At most so many items of each cluster. */
  readonly perCluster?: number | undefined;
  readonly readAt: ReadAt;
  readonly page: PageRequest;
  readonly root: string;
}

type EachRequest = Pick<ListAcrossRequest, 'readAt' | 'page' | 'root'> & { readonly cluster: string };

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
   * @param context whose signal stops those that have not begun
   * @throws {InvalidRequestError} the selector cannot be read
   * @throws {ServiceError} `cancelled`; `invalid-continue-token`
   */
  async run<Answer>(
    { clusterSelector, page, question, needs = 'read' }: AcrossClustersRequest,
    ask: (cluster: Cluster) => Promise<Answer>,
    context: RequestContext,
  ): Promise<Page<ClusterAnswer<Answer>>> {
    const selector = readLabelSelector(clusterSelector, 'clusterSelector');
    const all = await this.clusters.list();
    const picked = all.filter(({ name, labels }) => context.access.sees(name) && selector?.matches(labels) !== false);
    const capped = { ...page, size: Math.min(page.size, MOST_CLUSTERS) };
    const asked = pageOf(picked, ({ name }) => name, capped, ['across', clusterSelector, ...question]);
    const answers = new Array<ClusterAnswer<Answer>>(asked.items.length);
    const waiting = asked.items.entries();
    const worker = async (): Promise<void> => {
      for (const [index, { item: cluster }] of waiting) {
        context.signal.throwIfAborted();
        answers[index] = await answerOf(cluster, async (allowed) => {
          authorize(context, needs, allowed.name);
          return ask(allowed);
        });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return { ...asked, items: asked.items.map(({ token }, index) => ({ item: answers[index]!, token })) };
  }

  /**
   * Asks each cluster for the first page of a list.
   *
   * @param question what besides the request makes the list
   * @throws {ServiceError} as `run`
   */
  async list<Answer>(
    { clusterSelector, perCluster = DEFAULT_PAGE_SIZE, readAt, page, root }: ListAcrossRequest,
    question: AcrossClustersRequest['question'],
    ask: (request: EachRequest) => Promise<Answer>,
    context: RequestContext,
  ): Promise<{ readonly page: Page<AnswerOfCluster<Answer>> }> {
    const { at, scenario, intents } = readAt;
    const name = [...question, perCluster, at?.toISOString(), scenario?.hash, intents];
    const each = { readAt, page: { size: perCluster, afterName: page.afterName }, root };
    const request = { clusterSelector, page, question: name };
    const answers = await this.run(request, (cluster) => ask({ cluster: cluster.name, ...each }), context);
    return { page: mapPage(answers, ({ cluster, answer, error }) => ({ cluster: cluster.name, answer, error })) };
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
