import { defined } from '../../core/collections/defined.js';
import type { Trail } from '../../storage/taint-trail/trail-catalogue.js';
import { TrailReader } from '../../storage/taint-trail/trail-reader.js';
import { ServiceError } from '../errors/service-error.js';
import type { UncountedPage } from '../../contract/page.js';
import type { listRecords } from '../../contract/taint-trail/questions.js';
import type { RequestOf } from '../request-of.js';
import { TimeSlices } from '../states/time-slices.js';
import { readPageToken, writePageToken } from '../paging/page-token.js';
import { filterIdentity, readRecordFilter } from './record-filter.js';
import { type WrittenRecord, writtenRecord } from './record-response.js';
import { SelectTrail } from './select-trail.js';

/** Lists the records of a trail, newest first by default. */
export class ListRecords {
  constructor(
    private readonly selectTrail: SelectTrail,
    private readonly reader: TrailReader,
  ) {}

  /** @throws {ServiceError} as `SelectTrail`; `invalid-continue-token` */
  async run(
    request: RequestOf<typeof listRecords>,
  ): Promise<{ readonly trail: Trail; readonly page: UncountedPage<WrittenRecord> }> {
    const { page, order = 'newest' } = request;
    const filter = readRecordFilter(request, true);
    const trail = await this.selectTrail.run(request);
    const list = ['taint-trail', trail.clusterId, order, ...filterIdentity(filter)];
    const after =
      page.after === undefined ? undefined : numberIn(readPageToken(list, page.after, page.afterName).after);
    const rows = await this.reader.page(trail.clusterId, filter, {
      limit: page.size + 1,
      order,
      ...defined({ after }),
    });
    const items = await new TimeSlices().map(rows.slice(0, page.size), (row) => ({
      item: writtenRecord(row),
      token: writePageToken(list, { after: String(row.sequence) }),
    }));
    return { trail, page: { items, hasMore: rows.length > page.size } };
  }
}

function numberIn(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ServiceError('invalid-continue-token', 'The token does not belong to a list of records.');
}
