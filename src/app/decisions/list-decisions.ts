import type { listDecisions, listDecisionsAcross } from '../../contract/decisions/questions.js';
import type { decision, decisionRecord } from '../../contract/decisions/decision.js';
import type { UncountedPage } from '../../contract/page.js';
import type { Response } from '../../contract/schema.js';
import { defined } from '../../core/collections/defined.js';
import { ClusterStore } from '../../storage/cluster-store.js';
import { DecisionStore } from '../../storage/decisions/decision-store.js';
import { ClusterNotFound } from '../../storage/storage-error.js';
import { authorize } from '../authorize.js';
import { checkClusterName } from '../clusters/cluster-name.js';
import { writePageToken, type ListIdentity } from '../paging/page-token.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { beforeOf, filterIdentity, readDecisionFilter, type GivenDecisionFilter } from './decision-filter.js';
import { presentDecision, presentHead } from './present-decision.js';

type Decisions = UncountedPage<Response<typeof decision>>;
type DecisionRecord = Response<typeof decisionRecord>;
type AcrossRequest = RequestOf<typeof listDecisionsAcross>;

/** Which decisions to export: `cluster` or, without it, all that the caller may read. */
export type ExportRequest = GivenDecisionFilter & { readonly cluster?: string };

/** Lists decisions, newest first, and exports them. */
export class ListDecisions {
  constructor(
    private readonly store: DecisionStore,
    private readonly clusters: Pick<ClusterStore, 'get'>,
  ) {}

  /** Decisions about one cluster, which may be deleted. @throws {ServiceError} `cluster-not-found`, `invalid-continue-token` */
  async run(request: RequestOf<typeof listDecisions>, context: RequestContext): Promise<{ readonly page: Decisions }> {
    const { cluster } = request;
    await this.checkKnown(cluster);
    return this.page([cluster], request, ['of', cluster], context);
  }

  /** Decisions about every cluster that the caller may read. @throws {ServiceError} `invalid-continue-token` */
  async across(request: AcrossRequest, context: RequestContext): Promise<{ readonly page: Decisions }> {
    return this.page(await this.readable(context), request, ['of all'], context);
  }

  /**
   * Whole decisions, oldest first, cluster by cluster; the first is read before this resolves.
   * @throws {ServiceError} `cluster-not-found`
   */
  async export(
    request: ExportRequest,
    context: RequestContext,
  ): Promise<AsyncGenerator<readonly DecisionRecord[], void, undefined>> {
    const filter = readDecisionFilter(request);
    if (request.cluster !== undefined) await this.checkKnown(request.cluster);
    const names = request.cluster === undefined ? await this.readable(context) : [request.cluster];
    return this.records(names, filter, context);
  }

  private async *records(
    names: readonly string[],
    filter: ReturnType<typeof readDecisionFilter>,
    context: RequestContext,
  ): AsyncGenerator<readonly DecisionRecord[], void, undefined> {
    for (const name of names) {
      for await (const batch of this.store.batches(name, filter)) {
        yield batch.map((found) => presentDecision(found, context));
      }
    }
  }

  private async page(
    names: readonly string[],
    { page, ...given }: Omit<AcrossRequest, 'root'>,
    of: ListIdentity,
    context: RequestContext,
  ): Promise<{ readonly page: Decisions }> {
    const filter = readDecisionFilter(given);
    const list = [...of, ...filterIdentity(filter)];
    const before = beforeOf(list, page);
    const rows = await this.store.page(names, filter, { limit: page.size + 1, ...defined({ before }) });
    const items = rows.slice(0, page.size).map((row) => ({
      item: presentHead(row, context),
      token: writePageToken(list, { after: String(row.sequence) }),
    }));
    return { page: { items, hasMore: rows.length > page.size } };
  }

  /** The clusters with decisions that the caller may read, existing or deleted. */
  private async readable(context: RequestContext): Promise<readonly string[]> {
    const names = (await this.store.clusterNames()).filter((name) => context.access.may('read', name));
    // Collects whether values have to be masked.
    for (const name of names) authorize(context, 'read', name);
    return names;
  }

  private async checkKnown(cluster: string): Promise<void> {
    checkClusterName(cluster);
    if ((await this.clusters.get(cluster)) === undefined && !(await this.store.isKnown(cluster))) {
      throw new ClusterNotFound(cluster);
    }
  }
}
