import { ChainVerifier, type Checkpoint, GENESIS_HASH } from '../../core/audit/hash-chain.js';
import { wrongColumn } from '../../core/audit/record-columns.js';
import {
  changeFault,
  chainFault,
  columnFault,
  missingChangeFault,
  supersededFault,
  type TrailFault,
} from '../../core/audit/trail-fault.js';
import type { TrailContent } from '../../core/audit/trail-record.js';
import { wrongChange, wrongIntent } from '../../core/audit/stored-change.js';
import { ClusterNotFound } from '../../storage/storage-error.js';
import { RecordedChanges } from '../../storage/taint-trail/recorded-changes.js';
import { SupersededRecords, type Superseding } from '../../storage/taint-trail/superseded-records.js';
import type { Trail } from '../../storage/taint-trail/trail-catalogue.js';
import { type StoredRecord, TrailReader } from '../../storage/taint-trail/trail-reader.js';
import { sha256 } from '../../storage/taint-trail/trail-writer.js';
import { type ErrorDetail, ServiceError } from '../errors/service-error.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { verifyTrail } from '../../contract/taint-trail/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { ServiceMetrics } from '../service-metrics.js';
import type { RequestOf } from '../request-of.js';
import type { RequestContext } from '../request-context.js';
import { TimeSlices } from '../states/time-slices.js';
import { emptyTrail, SelectTrail, type TrailSelection } from './select-trail.js';

/** The cluster id of a trail that does not exist, if the request does not name it either. */
const NO_CLUSTER = 0;

/** Verifies a chain from its first record to its last, and reports the first invalid record. */
export class VerifyTrail {
  constructor(
    private readonly selectTrail: SelectTrail,
    private readonly reader: TrailReader,
    private readonly superseded: SupersededRecords,
    private readonly changes: RecordedChanges,
    private readonly metrics: ServiceMetrics,
  ) {}

  /**
   * Verifies the chain itself, the searchable columns stored with each record, which records are marked as superseded,
   * and the stored data of changes.
   * @throws {ServiceError} as `SelectTrail`, unless a checkpoint proves that the trail existed; `cancelled`
   */
  async run(
    request: RequestOf<typeof verifyTrail>,
    { signal }: Pick<RequestContext, 'signal'>,
  ): Promise<AnswerTo<typeof verifyTrail>> {
    const checkpoint = readCheckpoint(request);
    const trail = await this.trailOf(request, checkpoint);
    const check = new ChainCheck(checkpoint);
    const slices = new TimeSlices({ signal });
    const fault =
      (await this.check(trail, check, slices)) ??
      check.end() ??
      (await this.strayIn(trail, slices)) ??
      (await this.wrongChangeIn(trail, slices));
    const { verified, head } = check;
    this.metrics.countVerification(request.cluster, fault === undefined ? 'holds' : 'broken');
    return {
      trail,
      holds: fault === undefined,
      verified,
      head,
      fault: fault ?? null,
      checkpoint: checkpoint ?? null,
    };
  }

  /** A trail that had records according to a checkpoint but no longer exists was truncated completely. */
  private async trailOf(request: TrailSelection, checkpoint: Checkpoint | undefined): Promise<Trail> {
    try {
      return await this.selectTrail.run(request);
    } catch (error) {
      const isGone =
        error instanceof ClusterNotFound || (error instanceof ServiceError && error.code === 'trail-not-found');
      if (!isGone || checkpoint === undefined || checkpoint.sequence === 0) throw error;
      return emptyTrail(Number(request.trail ?? NO_CLUSTER), request.cluster);
    }
  }

  private async check(
    { clusterId, recordCount }: Trail,
    check: ChainCheck,
    slices: TimeSlices,
  ): Promise<TrailFault | undefined> {
    for await (const rows of this.reader.batches(clusterId, {}, recordCount)) {
      const said: Superseding[] = [];
      for (const row of rows) {
        if (slices.due()) await slices.pause();
        const taken = check.take(row);
        if ('fault' in taken) return taken.fault;
        for (const sequence of taken.supersedes) said.push({ sequence, by: row.sequence });
      }
      const wrong = await this.superseded.notKept(clusterId, said);
      if (wrong !== undefined) return supersededFault(wrong.sequence, { said: wrong.by, kept: wrong.kept });
    }
    return undefined;
  }

  /** A record that is marked as superseded although no record supersedes it. */
  private async strayIn({ clusterId }: Trail, slices: TimeSlices): Promise<TrailFault | undefined> {
    for await (const entries of this.superseded.kept(clusterId)) {
      const stray = entries.find(({ isSaid }) => !isSaid);
      if (stray !== undefined) return supersededFault(stray.sequence, { said: null, kept: stray.by });
      await slices.pause();
    }
    return undefined;
  }

  /** A stored change that differs from its records, has no record, or is missing. */
  private async wrongChangeIn({ clusterId }: Trail, slices: TimeSlices): Promise<TrailFault | undefined> {
    for await (const rows of this.changes.changes(clusterId)) {
      for (const { stored, content } of rows) {
        if (slices.due()) await slices.pause();
        const wrong = wrongChange(stored, content);
        if (wrong !== undefined) return changeFault(wrong);
      }
    }
    for await (const rows of this.changes.intents(clusterId)) {
      for (const { stored, content } of rows) {
        if (slices.due()) await slices.pause();
        const wrong = wrongIntent(stored, content);
        if (wrong !== undefined) return changeFault(wrong);
      }
    }
    const missing = await this.changes.missing(clusterId);
    return missing && missingChangeFault(missing.sequence, missing.id);
  }
}

/** Verifies the records of a chain one after another. */
class ChainCheck {
  verified = 0;
  head: Checkpoint = { sequence: 0, hash: GENESIS_HASH };
  private readonly verifier: ChainVerifier;

  constructor(checkpoint: Checkpoint | undefined) {
    this.verifier = new ChainVerifier(sha256, checkpoint === undefined ? {} : { checkpoint });
  }

  take(row: StoredRecord): { readonly fault: TrailFault } | { readonly supersedes: readonly number[] } {
    const said = this.verifier.addWritten(row.content, row.hash);
    if (said === undefined) return { fault: this.end()! };
    const content = said as unknown as TrailContent;
    const wrong = wrongColumn(content, row);
    if (wrong !== undefined) return { fault: columnFault(row.sequence, wrong) };
    this.verified += 1;
    this.head = { sequence: row.sequence, hash: row.hash };
    return { supersedes: content.supersedes ?? [] };
  }

  /** The error of the chain after its last record. */
  end(): TrailFault | undefined {
    const { fault } = this.verifier.finish();
    return fault === undefined ? undefined : chainFault(fault);
  }
}

function readCheckpoint(given: RequestOf<typeof verifyTrail>): Checkpoint | undefined {
  const { hash } = given;
  const sequence = given.sequence === undefined ? undefined : Number(given.sequence);
  if (sequence === undefined && hash === undefined) return undefined;
  const details: ErrorDetail[] = [];
  if (sequence !== undefined && !(Number.isSafeInteger(sequence) && sequence >= 0)) {
    details.push({ field: 'sequence', code: 'isSequence', message: 'must be a record number' });
  }
  const needed = { code: 'required', message: 'is required: a checkpoint consists of sequence and hash' };
  if (sequence === undefined) details.push({ field: 'sequence', ...needed });
  if (hash === undefined) details.push({ field: 'hash', ...needed });
  else if (!/^[0-9a-f]{64}$/.test(hash)) {
    details.push({ field: 'hash', code: 'isHash', message: 'must be 64 lower-case hexadecimal digits' });
  }
  if (details.length > 0) throw new InvalidRequestError(details);
  return { sequence: sequence!, hash: hash! };
}
