import { type AdmissionRecord, AdmissionRecordStore } from '../../storage/admission-record-store.js';
import { ServiceError } from '../errors/service-error.js';

/** Maximum number of records in one statement. */
const MAX_AT_ONCE = 500;
/** Maximum number of waiting records. */
const MAX_WAITING = 10_000;
const RETRY_AFTER_SECONDS = 2;

interface Waiting {
  readonly record: AdmissionRecord;
  readonly stored: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Stores what webhooks did before they respond. Records that arrive while a statement is running are stored together by
 * the next one, which saves round trips.
 */
export class AdmissionRecordWriter {
  private waiting: Waiting[] = [];
  private isWriting = false;

  constructor(private readonly store: Pick<AdmissionRecordStore, 'append'>) {}

  /** Number of records waiting to be stored. */
  get length(): number {
    return this.waiting.length;
  }

  /**
   * Resolves when the record is stored.
   * @throws {ServiceError} `too-many-changes` if too many records are waiting; errors of the store
   */
  write(record: AdmissionRecord): Promise<void> {
    if (this.waiting.length >= MAX_WAITING) {
      throw new ServiceError(
        'too-many-changes',
        `${MAX_WAITING} admission records are already waiting to be stored; retry later.`,
        {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        },
      );
    }
    return new Promise((stored, failed) => {
      this.waiting.push({ record, stored, failed });
      if (!this.isWriting) void this.writeAll();
    });
  }

  private async writeAll(): Promise<void> {
    this.isWriting = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting.slice(0, MAX_AT_ONCE);
      this.waiting = this.waiting.slice(MAX_AT_ONCE);
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
