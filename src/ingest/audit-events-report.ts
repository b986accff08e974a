import type { IgnoredEvent } from '../core/audit/audit-event.js';
import type { Counted } from './ingest-report.js';

/** One error in one event. */
export interface AuditEventProblem {
  /** Position of the event in the whole stream, from 0. */
  readonly item: number;
  /** The line on which the event begins, from 1. */
  readonly line: number;
  /** JSON pointer into the event; empty for the event itself. */
  readonly pointer: string;
  readonly message: string;
}

/** The result of reading a stream of audit events. */
export interface AuditEventsReport {
  /** Bytes as received. */
  readonly bytesRead: number;
  /** Bytes after decompression. */
  readonly bytesDecoded: number;
  /** All events, including irrelevant and invalid ones. */
  readonly events: number;
  /** The number of irrelevant events by reason, in descending order. */
  readonly ignored: readonly { readonly reason: IgnoredEvent; readonly count: number }[];
  /** The number of events that cannot be read. */
  readonly invalid: number;
  /** The errors in those events. */
  readonly problems: Counted<AuditEventProblem>;
}
