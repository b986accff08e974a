import type { Trail } from '../../storage/taint-trail/trail-catalogue.js';
import { type StoredRecord, TrailReader } from '../../storage/taint-trail/trail-reader.js';
import { ServiceError } from '../errors/service-error.js';
import type { RequestContext } from '../request-context.js';
import { csvHeader, csvLine } from './record-csv.js';
import { type GivenRecordFilter, readRecordFilter } from './record-filter.js';
import { SelectTrail, type TrailSelection } from './select-trail.js';

export interface ExportTrailRequest extends TrailSelection, GivenRecordFilter {
  readonly format: 'ndjson' | 'csv';
}

export interface TrailExport {
  readonly trail: Trail;
  /** The text in chunks that are created on demand. */
  readonly text: AsyncGenerator<string, void, undefined>;
}

/**
 * Exports every record of a trail as text, oldest first, by default with superseded ones.
 *
 * A line of NDJSON is `{"hash":"...","content":{...}}` with the exact text that was hashed, so that the file can be
 * verified.
 */
export class ExportTrail {
  constructor(
    private readonly selectTrail: SelectTrail,
    private readonly reader: TrailReader,
  ) {}

  /** @throws {ServiceError} as `SelectTrail`; `forbidden` if the caller may not see taint values */
  async run(request: ExportTrailRequest, { access }: Pick<RequestContext, 'access'>): Promise<TrailExport> {
    const { cluster, format } = request;
    if (!access.seesTaintValues(cluster)) {
      throw new ServiceError(
        'forbidden',
        `You may not see the taint values of cluster ${JSON.stringify(cluster)}, and masked records cannot be verified; list the records instead.`,
      );
    }
    const filter = readRecordFilter(request, false);
    const trail = await this.selectTrail.run(request);
    const batches = this.reader.batches(trail.clusterId, filter, trail.recordCount);
    return { trail, text: format === 'csv' ? csv(batches) : ndjson(batches) };
  }
}

type Batches = AsyncGenerator<readonly StoredRecord[], void, undefined>;

async function* ndjson(batches: Batches): AsyncGenerator<string, void, undefined> {
  for await (const rows of batches) {
    yield rows.map(({ hash, content }) => `{"hash":${JSON.stringify(hash)},"content":${content}}\n`).join('');
  }
}

async function* csv(batches: Batches): AsyncGenerator<string, void, undefined> {
  yield csvHeader();
  for await (const rows of batches) yield rows.map(csvLine).join('');
}
