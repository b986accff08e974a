import type { ChangeChannel } from '../../core/audit/attributed-change.js';
import { CLUSTER_EVENT_TYPES } from '../../contract/limits.js';
import type { KindCounts, RevisionKind } from '../../storage/revision.js';
import type { ValuesByKey } from '../withheld-values.js';

export { CLUSTER_EVENT_TYPES };

export type ClusterEventType = (typeof CLUSTER_EVENT_TYPES)[number];

/** Nodes, pods, differences and numbers of records that one event lists; what is beyond is counted. */
export const MOST_LISTED = 10;

/** A new revision. Those of one cluster are numbered without a gap. */
export interface HeadChanged {
  readonly revision: number;
  readonly kind: RevisionKind;
  /** RFC 3339, as all times here. */
  readonly capturedAt: string;
  readonly receivedAt: string;
  /** Nodes with changes that were made here and that nothing has decided. */
  readonly unconfirmedNodes: number;
  /** Against the revision before, by kind. */
  readonly counts: readonly (KindCounts & { readonly kind: string })[];
}

/** What happened to some nodes, in one line, and to how many. */
export interface DifferenceInWords {
  /** Such as `added dedicated=ml:NoSchedule; cordoned`. */
  readonly summary: string;
  readonly nodes: number;
}

/**
 * Taints or cordons were changed: through this service (`change`, `revert`, `expiry`), or by somebody else, which a
 * snapshot or an audit event shows (`learnt`); or a record was taken back (`withdrawn`).
 */
export interface TaintChangeRecorded {
  readonly action: 'change' | 'revert' | 'expiry' | 'learnt' | 'withdrawn';
  /** The first and the last record that it stands in; they follow one another. */
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly channel: ChangeChannel | null;
  /** The revision that the records came with. */
  readonly revision: number | null;
  /** The change that was made here. */
  readonly change: string | null;
  /** When it happened: not before, where that is known, and not after. */
  readonly from: string | null;
  readonly to: string;
  /** Who did it; null where that is not known, or not for the caller to know. */
  readonly by: string | null;
  readonly onBehalfOf: string | null;
  readonly reason: string | null;
  readonly link: string | null;
  /** The first of the nodes. */
  readonly nodes: readonly string[];
  readonly nodeCount: number;
  readonly differences: readonly DifferenceInWords[];
  /** Differences that are counted and not listed. */
  readonly moreDifferences: number;
  /** The first of the records whose place these take. */
  readonly supersedes: readonly number[];
}

/** Pods by what becomes of them: evicted at once, at a time to come, or not at all. */
export interface ScheduleCounts {
  readonly now: number;
  readonly at: number;
  readonly never: number;
}

/** When the next pods are evicted. */
export interface NextEviction {
  readonly at: string;
  readonly pods: number;
}

/** What the eviction schedule of a revision says in short. */
export interface ScheduleInShort {
  readonly revision: number;
  readonly counts: ScheduleCounts;
  readonly next: NextEviction | null;
}

/** The eviction schedule of the head is another one than that of the head before. */
export interface ScheduleChanged {
  /** Null where the former one cannot be worked out any more. */
  readonly before: ScheduleInShort | null;
  readonly after: ScheduleInShort;
}

/** A pod whose time has come. */
export interface DuePod {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  readonly at: string;
}

/** By the schedule of the head, the moment has come in which these pods are evicted. */
export interface EvictionDue {
  /** The revision whose schedule says so. */
  readonly revision: number;
  /** The last moment that came. */
  readonly at: string;
  /** The first of the pods, by their moments. */
  readonly pods: readonly DuePod[];
  readonly podCount: number;
}

/** An event without the place that a reader has reached with it: plain JSON, the same for every reader. */
export type ClusterNews =
  | { readonly type: 'headChanged'; readonly headChanged: HeadChanged }
  | { readonly type: 'taintChangeRecorded'; readonly taintChangeRecorded: TaintChangeRecorded }
  | { readonly type: 'scheduleChanged'; readonly scheduleChanged: ScheduleChanged }
  | { readonly type: 'evictionDue'; readonly evictionDue: EvictionDue };

/** Values of taints that news mention in words, by their keys: what has to be masked for some readers. */
export interface ToldNews {
  readonly news: ClusterNews;
  readonly values: ValuesByKey;
}
