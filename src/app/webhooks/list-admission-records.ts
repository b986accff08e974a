import { defined } from '../../core/collections/defined.js';
import {
  type AdmissionRecordFilter,
  AdmissionRecordStore,
  type StoredAdmissionRecord,
} from '../../storage/admission-record-store.js';
import { ClusterStore } from '../../storage/cluster-store.js';
import { ClusterNotFound } from '../../storage/storage-error.js';
import { checkClusterName } from '../clusters/cluster-name.js';
import { ServiceError } from '../errors/service-error.js';
import type { PageRequest } from '../../contract/page.js';
import { readPageToken, writePageToken } from '../paging/page-token.js';
import type { RequestContext } from '../request-context.js';
import type { UncountedPage } from '../../contract/page.js';

export interface ListAdmissionRecordsRequest {
  readonly cluster: string;
  readonly filter: AdmissionRecordFilter;
  readonly page: PageRequest;
}

/** What the webhooks of a cluster did to pods, newest first; of a cluster that was deleted too. */
export class ListAdmissionRecords {
  constructor(
    private readonly store: AdmissionRecordStore,
    private readonly clusters: Pick<ClusterStore, 'get'>,
  ) {}

  /** @throws {ServiceError} `cluster-not-found`, `invalid-continue-token`; `forbidden` to whom values of taints are withheld */
  async run(
    { cluster, filter, page }: ListAdmissionRecordsRequest,
    { access }: RequestContext,
  ): Promise<UncountedPage<StoredAdmissionRecord>> {
    checkClusterName(cluster);
    if (!access.seesTaintValues(cluster)) {
      throw new ServiceError(
        'forbidden',
        `The values of taints of cluster ${JSON.stringify(cluster)} are withheld from you, and these records tell them.`,
      );
    }
    const { from, to, ...words } = filter;
    const list = ['admission-records', cluster, ...Object.entries(words).flat(), from?.getTime(), to?.getTime()];
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
    return { items, hasMore: rows.length > page.size };
  }
}

function numberIn(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ServiceError('invalid-continue-token', 'The token is not one of a list of admission records.');
}
