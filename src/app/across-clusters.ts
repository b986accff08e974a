import { MAX_CLUSTERS } from '../contract/limits.js';
import type { Permission } from '../auth/permission.js';
import { ClusterStore } from '../storage/cluster-store.js';
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

export { MAX_CLUSTERS };

/** Clusters that are processed at the same time: loading a state takes time and memory. */
const AT_ONCE = 4;
/** Clusters of which what is kept is read at the same time, which takes little of both. */
const READ_AT_ONCE = 32;

export interface AcrossClustersRequest {
  /** In kubectl's syntax; absent: every cluster. */
  readonly clusterSelector?: string | undefined;
  /** A page of clusters; its size is capped by MAX_CLUSTERS. */
  readonly page: PageRequest;
  /** Parameters besides the selector that identify the list; a continue token is valid only for the same ones. */
  readonly question: readonly (string | number | boolean | undefined)[];
  /** The permission for each cluster, by default `read`; a cluster without it gets the error `forbidden`. */
  readonly needs?: Permission;
}

/** The parameters of a list across clusters. */
export interface ListAcrossRequest {
  readonly clusterSelector?: string | undefined;
  /** Maximum number of items from each cluster. */
  readonly perCluster?: number | undefined;
  readonly readAt: ReadAt;
  readonly page: PageRequest;
  readonly root: string;
}

type EachRequest = Pick<ListAcrossRequest, 'readAt' | 'page' | 'root'> & { readonly cluster: string };

/** What is asked about one cluster. */
interface Steps<Asked, Kept, Answer> {
  readonly read: (asked: Asked) => Promise<Kept>;
  readonly ask: (asked: Asked, kept: Kept) => Promise<Answer>;
}

interface Cluster {
  readonly name: string;
}

/** The result of one cluster, or its error. */
export type ClusterAnswer<Answer> =
  | { readonly cluster: Cluster; readonly result: Answer; readonly error: null }
  | { readonly cluster: Cluster; readonly result: null; readonly error: ServiceError };

/** Runs one operation on every cluster that the caller may see and a selector matches, sorted by name. */
export class AcrossClusters {
  constructor(private readonly clusters: ClusterStore) {}

  /**
   * Runs the operation on a few clusters at a time. The error of one cluster does not affect the others.
   *
   * @param ask computes the result of one cluster
   * @param context its signal cancels clusters that have not started
   * @throws {InvalidRequestError} the selector is invalid
   * @throws {ServiceError} `cancelled`; `invalid-continue-token`
   */
  async run<Answer>(
    request: AcrossClustersRequest,
    ask: (cluster: Cluster) => Promise<Answer>,
    context: RequestContext,
  ): Promise<Page<ClusterAnswer<Answer>>> {
    return this.runSteps(request, { read: () => Promise.resolve(), ask }, context);
  }

  private async runSteps<Kept, Answer>(
    { clusterSelector, page, question, needs = 'read' }: AcrossClustersRequest,
    { read, ask }: Steps<Cluster, Kept, Answer>,
    context: RequestContext,
  ): Promise<Page<ClusterAnswer<Answer>>> {
    const selector = readLabelSelector(clusterSelector, 'clusterSelector');
    const picked = (await this.clusters.names(selector)).filter((name) => context.access.sees(name));
    const capped = { ...page, size: Math.min(page.size, MAX_CLUSTERS) };
    const cut = pageOf(picked, (name) => name, capped, ['across', clusterSelector, ...question]);
    const clusterPage = mapPage(cut, (name): Cluster => ({ name }));
    const answers = new Array<ClusterAnswer<Answer>>(clusterPage.items.length);
    const waiting = clusterPage.items.entries();
    const reads = new Map<number, Promise<Kept>>();
    const allowedRead = async (cluster: Cluster): Promise<Kept> => {
      authorize(context, needs, cluster.name);
      return read(cluster);
    };
    const readOf = (index: number): Promise<Kept> => {
      if (!reads.has(index)) {
        for (const [at, { item }] of clusterPage.items.slice(index, index + READ_AT_ONCE).entries()) {
          const reading = allowedRead(item);
          reading.catch(() => undefined);
          reads.set(index + at, reading);
        }
      }
      const reading = reads.get(index)!;
      reads.delete(index);
      return reading;
    };
    const worker = async (): Promise<void> => {
      for (const [index, { item: cluster }] of waiting) {
        context.signal.throwIfAborted();
        answers[index] = await answerOf(cluster, async (allowed) => ask(allowed, await readOf(index)));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return { ...clusterPage, items: clusterPage.items.map(({ token }, index) => ({ item: answers[index]!, token })) };
  }

  /**
   * Returns the first page of a list for each cluster.
   *
   * @param steps what is read for several clusters at the same time, so that it may be read by one statement, and the list made of that
   * @param question parameters besides the request that identify the list
   * @throws {ServiceError} as `run`
   */
  async list<Kept, Answer>(
    { clusterSelector, perCluster = DEFAULT_PAGE_SIZE, readAt, page, root }: ListAcrossRequest,
    question: AcrossClustersRequest['question'],
    { read, ask }: Steps<EachRequest, Kept, Answer>,
    context: RequestContext,
  ): Promise<{ readonly page: Page<AnswerOfCluster<Answer>> }> {
    const { at, scenario, intents } = readAt;
    const name = [...question, perCluster, at?.toISOString(), scenario?.hash, intents];
    const each = { readAt, page: { size: perCluster, afterName: page.afterName }, root };
    const request = { clusterSelector, page, question: name };
    const eachOf = ({ name: cluster }: Cluster): EachRequest => ({ cluster, ...each });
    const steps: Steps<Cluster, Kept, Answer> = {
      read: (cluster) => read(eachOf(cluster)),
      ask: (cluster, kept) => ask(eachOf(cluster), kept),
    };
    const answers = await this.runSteps(request, steps, context);
    return { page: mapPage(answers, ({ cluster, result, error }) => ({ cluster: cluster.name, result, error })) };
  }
}

async function answerOf<Answer>(
  cluster: Cluster,
  ask: (cluster: Cluster) => Promise<Answer>,
): Promise<ClusterAnswer<Answer>> {
  try {
    return { cluster, result: await ask(cluster), error: null };
  } catch (thrown) {
    const error = serviceErrorOf(thrown);
    // The caller has disconnected, or the error affects all clusters.
    if (error.code === 'cancelled' || error.code === 'shutting-down') throw error;
    return { cluster, result: null, error };
  }
}
