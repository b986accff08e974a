import type { Timestamp } from '../kubernetes/objects/meta.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import type { TaintDifference } from './taint-difference.js';

/** The cluster of a trail. The number distinguishes clusters that had the same name one after another. */
export interface TrailCluster {
  readonly id: number;
  readonly name: string;
}

/**
 * The subject of a record:
 *
 * - `request`: a change, revert or expiry requested through this service, with its effect;
 * - `change`: a change of one node, made through this service (then it is an intent) or derived from evidence;
 * - `found`: the taints of a node when it was first observed;
 * - `intent`: the outcome of a change made through this service;
 * - `application`: a change is to be written to its cluster by this service, or that ended; `applied`: what became of one node;
 * - `attempt`: a request to the API server that changed nothing; `write`: one with unknown content;
 * - `withdrawn`: a record that later evidence does not support;
 * - `approval`: a step of a change that needs approval: it was asked, approved, rejected, or expired;
 * - `closed`: the cluster was deleted in this service, and its trail ends.
 */
export type TrailRecordKind =
  | 'request'
  | 'change'
  | 'found'
  | 'intent'
  | 'application'
  | 'applied'
  | 'attempt'
  | 'write'
  | 'withdrawn'
  | 'closed'
  | 'approval';

/** The members of every record, in addition to its position in the chain (`sequence`, `previousHash`, `hash`). */
export interface TrailEnvelope {
  readonly cluster: TrailCluster;
  /** When the record was written, by the service's clock. */
  readonly recordedAt: Timestamp;
  /** The revision that the record was written with, if there is one. */
  readonly revision?: number;
  readonly kind: TrailRecordKind;
  /** The records that this one supersedes. */
  readonly supersedes?: readonly number[];
}

/** A complete record, all of which is hashed. Further members depend on its kind. */
export interface TrailContent extends TrailEnvelope {
  readonly sequence: number;
  readonly previousHash: string;
  readonly index: WrittenIndex;
}

/** The names of the members of every record. */
const COMMON: ReadonlySet<string> = new Set<keyof TrailContent>([
  'cluster',
  'recordedAt',
  'revision',
  'kind',
  'supersedes',
  'index',
  'sequence',
  'previousHash',
]);

/** The other members of a record: the body of its draft. */
export function bodyOf(content: TrailContent): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(content).filter(([name]) => !COMMON.has(name)));
}

/** A record without its position in the chain: the hashed content without the envelope. */
export interface TrailDraft {
  readonly kind: TrailRecordKind;
  readonly supersedes?: readonly number[];
  /** Plain JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly index: TrailIndex;
}

/** The search keys of a record; all of them are in the content too. */
export interface TrailIndex {
  readonly node?: string;
  readonly changeId?: string;
  readonly happenedFrom?: Timestamp;
  readonly happenedAt: Timestamp;
  readonly author?: string;
  readonly channel?: 'api' | 'snapshot' | 'auditEvent';
  readonly taints: readonly Pick<Taint, 'key' | 'effect'>[];
}

/** The search keys of a record, equal in its content and its columns. */
export interface WrittenIndex {
  readonly node?: string;
  readonly change?: string;
  readonly from?: Timestamp;
  readonly at: Timestamp;
  readonly author?: string;
  readonly channel?: string;
  /** Sorted, each once. */
  readonly keys: readonly string[];
  readonly effects: readonly string[];
}

export function writtenIndex(index: TrailIndex): WrittenIndex {
  const { node, changeId, happenedFrom, happenedAt, author, channel, taints } = index;
  return {
    ...(node !== undefined && { node }),
    ...(changeId !== undefined && { change: changeId }),
    ...(happenedFrom !== undefined && { from: happenedFrom }),
    at: happenedAt,
    ...(author !== undefined && { author }),
    ...(channel !== undefined && { channel }),
    keys: onceEach(taints.map(({ key }) => key)),
    effects: onceEach(taints.map(({ effect }) => effect)),
  };
}

const onceEach = (texts: readonly string[]): string[] => [...new Set(texts)].sort();

/** The taints that a difference concerns, once each; the cordon counts as the taint that follows it. */
export function taintsTouched({ added, removed, changed }: TaintDifference): readonly Taint[] {
  return [...added, ...removed, ...changed.map(({ after }) => after)];
}
