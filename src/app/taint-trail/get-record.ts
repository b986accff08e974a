import { explainRecord } from '../../core/audit/explain-record.js';
import { TrailReader } from '../../storage/taint-trail/trail-reader.js';
import { ServiceError } from '../errors/service-error.js';
import type { RequestContext } from '../request-context.js';
import { EffectsOfRecord, type RecordEffects } from './effects-of-record.js';
import { isReadable, type WrittenRecord, writtenRecord } from './record-view.js';
import { SelectTrail, type TrailWish } from './select-trail.js';

export interface GetRecordRequest extends TrailWish {
  readonly sequence: number;
  /** Whether to say what the change did to pods and workloads at its time. */
  readonly effects: boolean;
}

/** A record, and what it means. */
export interface ExplainedRecord extends WrittenRecord {
  readonly proves: readonly string[];
  readonly doesNotProve: readonly string[];
  /** null where nobody asked. */
  readonly effects: RecordEffects | null;
}

/** One record of a trail, with what it proves. */
export class GetRecord {
  constructor(
    private readonly selectTrail: SelectTrail,
    private readonly reader: TrailReader,
    private readonly effectsOf: EffectsOfRecord,
  ) {}

  /** @throws {ServiceError} as `SelectTrail`; `record-not-found` */
  async run(request: GetRecordRequest, edge: Pick<RequestContext, 'signal'>): Promise<ExplainedRecord> {
    const trail = await this.selectTrail.run(request);
    const row = await this.reader.get(trail.clusterId, request.sequence);
    if (row === undefined) {
      throw new ServiceError(
        'record-not-found',
        `The trail of ${JSON.stringify(trail.cluster)} has no record ${request.sequence}; its last one is ${trail.recordCount}.`,
      );
    }
    const written = writtenRecord(row);
    const { record } = written;
    const effects = request.effects && isReadable(record) ? await this.effectsOf.run(record, trail, edge) : null;
    return { ...explained(written), effects };
  }
}

/** A record with what it proves; nothing, where it was tampered with so that it makes no sense. */
export function explained(written: WrittenRecord): Omit<ExplainedRecord, 'effects'> {
  const { record } = written;
  const said = isReadable(record) ? explainRecord(record.kind, record.body) : { proves: [], doesNotProve: [] };
  return { ...written, ...said };
}
