import type { ADMISSION_RECORD_FILTERS } from '../../contract/admission/admission-record.js';
import type { listAdmissionRecords } from '../../contract/admission/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { RequestMembers } from '../../contract/schema.js';
import { defined } from '../../core/collections/defined.js';
import { type AdmissionRecordFilter, AdmissionRecordStore } from '../../storage/admission-record-store.js';
import { ClusterStore } from '../../storage/cluster-store.js';
import { ClusterNotFound } from '../../storage/storage-error.js';
import { checkClusterName } from '../clusters/cluster-name.js';
import { ServiceError } from '../errors/service-error.js';
import { readPageToken, writePageToken } from '../paging/page-token.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';

type GivenFilter = RequestMembers<typeof ADMISSION_RECORD_FILTERS>;

/** Lists what the webhooks of a cluster did to pods, newest first, including deleted clusters. */
export class ListAdmissionRecords {
  constructor(
    private readonly store: AdmissionRecordStore,
    private readonly clusters: Pick<ClusterStore, 'get'>,
  ) {}

  /**
   * @throws {ServiceError} `cluster-not-found`, `invalid-continue-token`; `forbidden` if the caller may not see taint
   *   values
   */
  async run(
    { cluster, page, ...given }: RequestOf<typeof listAdmissionRecords>,
    { access }: RequestContext,
  ): Promise<AnswerTo<typeof listAdmissionRecords>> {
    checkClusterName(cluster);
    if (!access.seesTaintValues(cluster)) {
      throw new ServiceError(
        'forbidden',
        `You may not see the taint values of cluster ${JSON.stringify(cluster)}, which these records contain.`,
      );
    }
    const filter = filterIn(given);
    const { from, to, ...filters } = filter;
    const list = ['admission-records', cluster, ...Object.entries(filters).flat(), from?.getTime(), to?.getTime()];
    const before =
      page.after === undefined ? undefined : numberIn(readPageToken(list, page.after, page.afterName).after);
    const rows = await this.store.page(cluster, filter, {
      limit: page.size + 1,
      ...defined({ before }),
    });
    if (rows.length === 0 && (await this.clusters.get(cluster)) === undefined) {
      if (!(await this.store.isKnown(cluster))) throw new ClusterNotFound(cluster);
    }
    const items = rows.slice(0, page.size).map((item) => ({
      item,
      token: writePageToken(list, { after: String(item.id) }),
    }));
    return { page: { items, hasMore: rows.length > page.size } };
  }
}

function filterIn({ namespace, pod, pool, outcome, username, from, to }: GivenFilter): AdmissionRecordFilter {
  return {
    ...defined({ namespace, pod, pool, outcome, username }),
    ...(from !== undefined && { from: new Date(from) }),
    ...(to !== undefined && { to: new Date(to) }),
  };
}

function numberIn(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ServiceError('invalid-continue-token', 'The token does not belong to a list of admission records.');
}
