import type { Timestamp } from '../kubernetes/objects/meta.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import type { TaintDifference } from './taint-difference.js';

/** The cluster whose trail a record belongs to. The number tells apart clusters that had one name after another. */
export interface TrailCluster {
  readonly id: number;
  readonly name: string;
}

/**
 * What a record is about:
 * `request`: a change, revert or expiry made through this service, as it was asked for, with its effect;
 * `change`: a change of one node, made here (an intent, then) or learnt of;
 * `found`: what stood on a node when it was first seen;
 * `intent`: what became of a change made here;
 * `attempt`: a request to the API server that changed nothing; `write`: one of which it is not known what it wrote;
 * `withdrawn`: a record that later evidence does not bear out;
 * `closed`: the cluster was deleted here, and its trail ends.
 */
export type TrailRecordKind = 'request' | 'change' | 'found' | 'intent' | 'attempt' | 'write' | 'withdrawn' | 'closed';

/** What every record carries, besides its place in the chain (`sequence`, `previousHash`, `hash`). */
export interface TrailEnvelope {
  readonly cluster: TrailCluster;
  /** When the record was written, by the service's own clock. */
  readonly recordedAt: Timestamp;
  /** The revision that the record came with, where it came with one. */
  readonly revision?: number;
  readonly kind: TrailRecordKind;
  /** The records whose place this one takes. */
  readonly supersedes?: readonly number[];
}

/** A record as it is written: all of it is hashed. What else it has depends on its kind. */
export interface TrailContent extends TrailEnvelope {
  readonly sequence: number;
  readonly previousHash: string;
  readonly index: WrittenIndex;
}

/** The names of what every record carries. */
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

/** What a record says beyond what every record carries: the body that its draft had. */
export function bodyOf(content: TrailContent): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(content).filter(([name]) => !COMMON.has(name)));
}

/** A record before it has its place in the chain: the content that is hashed, without the envelope. */
export interface TrailDraft {
  readonly kind: TrailRecordKind;
  readonly supersedes?: readonly number[];
  /** Plain JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly index: TrailIndex;
}

/** By what records are searched; all of it is in the content too. */
export interface TrailIndex {
  readonly node?: string;
  readonly changeId?: string;
  readonly happenedFrom?: Timestamp;
  readonly happenedAt: Timestamp;
  readonly author?: string;
  readonly channel?: 'api' | 'snapshot' | 'auditEvent';
  readonly taints: readonly Pick<Taint, 'key' | 'effect'>[];
}

/** What a record is searched by, as its content has it and as its columns repeat it. */
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

/** The taints that a difference touches, once each; a cordon counts by the taint that follows it. */
export function taintsTouched({ added, removed, changed }: TaintDifference): readonly Taint[] {
  return [...added, ...removed, ...changed.map(({ after }) => after)];
}
