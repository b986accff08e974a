import type { getRecord } from '../../contract/taint-trail/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { TrailReader } from '../../storage/taint-trail/trail-reader.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { EffectsOfRecord } from './effects-of-record.js';
import { presentRecordDetails } from './present-record.js';
import { isReadable, writtenRecord } from './record-response.js';
import { SelectTrail } from './select-trail.js';

/** Reads a record of a trail, with its evidence. */
export class GetRecord {
  constructor(
    private readonly selectTrail: SelectTrail,
    private readonly reader: TrailReader,
    private readonly effectsOf: EffectsOfRecord,
  ) {}

  /** @throws {ServiceError} as `SelectTrail`; `record-not-found` */
  async run(request: RequestOf<typeof getRecord>, context: RequestContext): Promise<AnswerTo<typeof getRecord>> {
    const sequence = sequenceIn(request.sequence);
    const trail = await this.selectTrail.run(request);
    const row = await this.reader.get(trail.clusterId, sequence);
    if (row === undefined) {
      throw new ServiceError(
        'record-not-found',
        `The trail of ${JSON.stringify(trail.cluster)} has no record ${sequence}; its last record is ${trail.recordCount}.`,
      );
    }
    const written = writtenRecord(row);
    const { record } = written;
    const effects =
      request.effects === true && isReadable(record) ? await this.effectsOf.run(record, trail, context) : null;
    return presentRecordDetails(written, effects, context, request.view);
  }
}

/** @throws {InvalidRequestError} */
function sequenceIn(given: string | number | bigint): number {
  const text = String(given);
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidRequestError([
    { field: 'sequence', code: 'isSequence', message: 'must be a record number, from 1' },
  ]);
}
