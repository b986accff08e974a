import type { Timestamp } from '../kubernetes/objects/meta.js';

/** An audit event about a node, ready to be stored. */
export interface AuditEventRow {
  readonly node: string;
  /** When it happened: its `stageTimestamp`. */
  readonly at: Timestamp;
  /** The SHA-256 of the content, in hexadecimal digits: an event is stored once, however often it is sent. */
  readonly hash: string;
  /** The `AuditEvent` as canonical JSON. */
  readonly content: string;
}
