import type { IgnoredEvent } from '../core/audit/audit-event.js';
import type { Counted } from './ingest-report.js';

/** One thing that is wrong with one event. */
export interface AuditEventProblem {
  /** Position of the event in the whole stream, from 0. */
  readonly item: number;
  /** The line on which it begins, from 1. */
  readonly line: number;
  /** JSON pointer into the event; empty for the event itself. */
  readonly pointer: string;
  readonly message: string;
}

/** What became of a stream of audit events. */
export interface AuditEventsReport {
  /** Bytes as received. */
  readonly bytesRead: number;
  /** Bytes after decompression. */
  readonly bytesDecoded: number;
  /** Events, whatever they are about; also those that cannot be read. */
  readonly events: number;
  /** Events that are of no interest here, by reason, the most frequent first. */
  readonly ignored: readonly { readonly reason: IgnoredEvent; readonly count: number }[];
  /** How many events cannot be read. */
  readonly invalid: number;
  /** What is wrong with those. */
  readonly problems: Counted<AuditEventProblem>;
}
