import type { Timestamp } from '../kubernetes/objects/meta.js';
import type { TaintDifference } from './taint-difference.js';

/** What a record of kind `applied` says: what became of a change on one node when the service applied it to the cluster. */
export interface AppliedRecord {
  readonly change: string;
  readonly node: string;
  readonly uid?: string;
  readonly at: Timestamp;
  readonly channel: 'api';
  readonly by: unknown;
  readonly outcome: 'written' | 'unchanged' | 'refused' | 'failed' | 'unknown';
  /** Whether the API server answered, or the answer was lost and the node was read. */
  readonly saidBy: 'answer' | 'read';
  /** The HTTP status of the API server. */
  readonly code?: number;
  /** In the words of the API server, if it answered. */
  readonly message?: string;
  readonly warnings?: readonly string[];
  /** The version that the write tested; absent if none was sent. */
  readonly testedVersion?: string;
  /** The version that was written or found. */
  readonly resourceVersion?: string;
  readonly attempts: number;
  /** What the change is about, as it was previewed. */
  readonly difference: TaintDifference;
}

export const APPLIED_WORDS: Readonly<Record<AppliedRecord['outcome'], string>> = {
  written: 'written to the cluster',
  unchanged: 'there already',
  refused: 'refused',
  failed: 'not written',
  unknown: 'sent, and it is unknown whether it was written',
};
