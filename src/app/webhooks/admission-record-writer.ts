import { type AdmissionRecord, AdmissionRecordStore } from '../../storage/admission-record-store.js';
import { ServiceError } from '../errors/service-error.js';

/** Records of one statement. */
const MOST_AT_ONCE = 500;
/** Records that may wait. */
const MOST_WAITING = 10_000;
const RETRY_AFTER_SECONDS = 2;

interface Waiting {
  readonly record: AdmissionRecord;
  readonly stored: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Stores what webhooks did before they answer: those that come while a statement is under way go together in the next one, so that
 * many a second cost few round trips.
 */
export class AdmissionRecordWriter {
  private waiting: Waiting[] = [];
  private isWriting = false;

  constructor(private readonly store: Pick<AdmissionRecordStore, 'append'>) {}

  /** How many wait to be stored. */
  get length(): number {
    return this.waiting.length;
  }

  /**
   * Resolves once it is stored.
   * @throws {ServiceError} `too-many-changes` when too many wait already; what the store throws
   */
  write(record: AdmissionRecord): Promise<void> {
    if (this.waiting.length >= MOST_WAITING) {
      throw new ServiceError('too-many-changes', `${MOST_WAITING} admission records wait to be stored already.`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    return new Promise((stored, failed) => {
      this.waiting.push({ record, stored, failed });
      if (!this.isWriting) void this.writeAll();
    });
  }

  private async writeAll(): Promise<void> {
    this.isWriting = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting.slice(0, MOST_AT_ONCE);
      this.waiting = this.waiting.slice(MOST_AT_ONCE);
      try {
        await this.store.append(batch.map(({ record }) => record));
        for (const { stored } of batch) stored();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.isWriting = false;
  }
}
