import { defined } from '../../core/collections/defined.js';
import type { Trail } from '../../storage/taint-trail/trail-catalogue.js';
import { TrailReader, type TrailOrder } from '../../storage/taint-trail/trail-reader.js';
import { ServiceError } from '../errors/service-error.js';
import type { Page, PageRequest } from '../../contract/page.js';
import { readPageToken, writePageToken } from '../paging/page-token.js';
import { filterIdentity, type GivenRecordFilter, readRecordFilter } from './record-filter.js';
import { type WrittenRecord, writtenRecord } from './record-view.js';
import { SelectTrail, type TrailWish } from './select-trail.js';

export interface ListRecordsRequest extends TrailWish {
  readonly filter: GivenRecordFilter;
  readonly order?: TrailOrder;
  readonly page: PageRequest;
}

/** A page of a list whose length nobody counts: a trail may have millions of records. */
export type UncountedPage<Item> = Pick<Page<Item>, 'items' | 'hasMore'>;

/** The records of one trail, newest first by default. */
export class ListRecords {
  constructor(
    private readonly selectTrail: SelectTrail,
    private readonly reader: TrailReader,
  ) {}

  /** @throws {ServiceError} as `SelectTrail`; `invalid-continue-token` */
  async run(
    request: ListRecordsRequest,
  ): Promise<{ readonly trail: Trail; readonly page: UncountedPage<WrittenRecord> }> {
    const { page, order = 'newest' } = request;
    const filter = readRecordFilter(request.filter, true);
    const trail = await this.selectTrail.run(request);
    const list = ['taint-trail', trail.clusterId, order, ...filterIdentity(filter)];
    const after =
      page.after === undefined ? undefined : numberIn(readPageToken(list, page.after, page.afterName).after);
    const rows = await this.reader.page(trail.clusterId, filter, {
      limit: page.size + 1,
      order,
      ...defined({ after }),
    });
    const items = rows.slice(0, page.size).map((row) => ({
      item: writtenRecord(row),
      token: writePageToken(list, { after: String(row.sequence) }),
    }));
    return { trail, page: { items, hasMore: rows.length > page.size } };
  }
}

function numberIn(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ServiceError('invalid-continue-token', 'The token is not one of a list of records.');
}
