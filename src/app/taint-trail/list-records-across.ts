import { defined } from '../../core/collections/defined.js';
import { ClusterStore } from '../../storage/cluster-store.js';
import { TrailCatalogue } from '../../storage/taint-trail/trail-catalogue.js';
import { type PlaceInTime, TrailReader } from '../../storage/taint-trail/trail-reader.js';
import { authorize } from '../authorize.js';
import { ServiceError } from '../errors/service-error.js';
import { readLabelSelector } from '../label-selector-parameter.js';
import type { listRecordsAcross } from '../../contract/taint-trail/questions.js';
import type { RequestOf } from '../request-of.js';
import { readPageToken, writePageToken } from '../paging/page-token.js';
import type { RequestContext } from '../request-context.js';
import { TimeSlices } from '../states/time-slices.js';
import type { UncountedPage } from '../../contract/page.js';
import { filterIdentity, readRecordFilter } from './record-filter.js';
import { type WrittenRecord, writtenRecord } from './record-response.js';

/** Lists the records of all trails that the caller may audit and a selector matches, by the time of their events. */
export class ListRecordsAcross {
  constructor(
    private readonly clusters: ClusterStore,
    private readonly catalogue: TrailCatalogue,
    private readonly reader: TrailReader,
  ) {}

  /** @throws {ServiceError} `invalid-continue-token` */
  async run(
    request: RequestOf<typeof listRecordsAcross>,
    context: RequestContext,
  ): Promise<UncountedPage<WrittenRecord>> {
    const { clusterSelector, page, order = 'newest' } = request;
    const filter = readRecordFilter(request, true);
    const list = ['taint-trails', 'records', clusterSelector, order, ...filterIdentity(filter)];
    const after = page.after === undefined ? undefined : placeIn(readPageToken(list, page.after, page.afterName).after);
    const ids = await this.trailsFor(clusterSelector, context);
    const rows = await this.reader.pageAcross(ids, filter, {
      limit: page.size + 1,
      order,
      ...defined({ after }),
    });
    const items = await new TimeSlices({ signal: context.signal }).map(rows.slice(0, page.size), (row) => ({
      item: writtenRecord(row),
      token: writePageToken(list, { after: [row.happenedAt, row.clusterId, row.sequence].join(' ') }),
    }));
    return { items, hasMore: rows.length > page.size };
  }

  private async trailsFor(clusterSelector: string | undefined, context: RequestContext): Promise<readonly number[]> {
    const selector = readLabelSelector(clusterSelector, 'clusterSelector');
    const trails = (await this.catalogue.list()).filter(({ cluster }) => context.access.may('audit', cluster));
    // Collects the taint values to mask.
    for (const { cluster } of trails) authorize(context, 'audit', cluster);
    if (selector === undefined) return trails.map(({ clusterId }) => clusterId);
    const living = (await this.clusters.list()).filter(({ labels }) => selector.matches(labels));
    const picked = new Set(living.map(({ id }) => id));
    return trails.map(({ clusterId }) => clusterId).filter((id) => picked.has(id));
  }
}

function placeIn(text: string): PlaceInTime {
  const [at = '', clusterId = '', sequence = ''] = text.split(' ');
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(at) && [clusterId, sequence].every((n) => /^\d{1,15}$/.test(n))) {
    return { at, clusterId: Number(clusterId), sequence: Number(sequence) };
  }
  throw new ServiceError('invalid-continue-token', 'The token does not belong to a list of records.');
}
