import type { agreementCase } from '../../contract/agreement/agreement.js';
import type { Response } from '../../contract/schema.js';
import type { StoredTurn } from '../../storage/expectation-store.js';
import type { ChangeChannel } from '../../core/audit/attributed-change.js';
import { CLUSTER_EVENT_TYPES } from '../../contract/limits.js';
import type { KindCounts, RevisionKind } from '../../storage/revision.js';
import type { ValuesByKey } from '../withheld-values.js';

export { CLUSTER_EVENT_TYPES };

export type ClusterEventType = (typeof CLUSTER_EVENT_TYPES)[number];

/** Maximum nodes, pods, differences and record numbers that an event lists; all are counted. */
export const MAX_LISTED = 10;

/** A new revision. The revisions of a cluster are numbered without gaps. */
export interface HeadChanged {
  readonly revision: number;
  readonly kind: RevisionKind;
  /** RFC 3339, like all times in this file. */
  readonly capturedAt: string;
  readonly receivedAt: string;
  /** Nodes with changes of this service that are neither confirmed nor contradicted. */
  readonly unconfirmedNodes: number;
  /** Differences from the previous revision, by kind. */
  readonly counts: readonly (KindCounts & { readonly kind: string })[];
}

/** A difference as text, and the number of nodes or DeviceTaintRules with it. */
export interface DifferenceSummary {
  /** For example `added dedicated=ml:NoSchedule; cordoned`. */
  readonly summary: string;
  readonly nodes: number;
}

/**
 * Taints or cordons were changed: through this service (`change`, `revert`, `expiry`), or by somebody else, as a
 * snapshot or an audit event shows (`observed`); or a record was withdrawn (`withdrawn`).
 */
export interface TaintChangeRecorded {
  readonly action: 'change' | 'revert' | 'expiry' | 'observed' | 'withdrawn';
  /** The first and the last of its records, which are consecutive. */
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly channel: ChangeChannel | null;
  /** The revision that the records belong to. */
  readonly revision: number | null;
  /** Id of the change, if it was made through this service. */
  readonly change: string | null;
  /** Lower and upper bound of the time of the change; `from` is null if unknown. */
  readonly from: string | null;
  readonly to: string;
  /** The author; null if unknown or not visible to the caller. */
  readonly by: string | null;
  readonly onBehalfOf: string | null;
  readonly reason: string | null;
  readonly link: string | null;
  /** The first of the changed nodes. */
  readonly nodes: readonly string[];
  readonly nodeCount: number;
  /** The first of the changed DeviceTaintRules. */
  readonly deviceTaintRules: readonly string[];
  readonly deviceTaintRuleCount: number;
  readonly differences: readonly DifferenceSummary[];
  /** Number of differences that are not listed. */
  readonly moreDifferences: number;
  /** The first of the superseded records. */
  readonly supersedes: readonly number[];
}

/** Number of pods by outcome: evicted already, evicted later, or not evicted. */
export interface ScheduleCounts {
  readonly now: number;
  readonly at: number;
  readonly never: number;
}

/** The next pods to be evicted, and when. */
export interface NextEviction {
  readonly at: string;
  readonly pods: number;
}

/** Summary of the eviction schedule of a revision. */
export interface ScheduleSummary {
  readonly revision: number;
  readonly counts: ScheduleCounts;
  readonly next: NextEviction | null;
}

/** The eviction schedule of the head differs from that of the previous head. */
export interface ScheduleChanged {
  /** Null if the previous schedule can no longer be computed. */
  readonly before: ScheduleSummary | null;
  readonly after: ScheduleSummary;
}

/** A pod whose eviction is due. */
export interface DuePod {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  readonly at: string;
}

/** According to the schedule of the head, it is time to evict these pods. */
export interface EvictionDue {
  /** The revision that the schedule belongs to. */
  readonly revision: number;
  /** The latest of the due times. */
  readonly at: string;
  /** The first of the pods, in the order of their times. */
  readonly pods: readonly DuePod[];
  readonly podCount: number;
}

/** A stored expectation has another verdict: a turn, as the list of turns has it. */
export interface ExpectationTurned extends Omit<StoredTurn, 'capturedAt'> {
  readonly capturedAt: string;
}

/** What the cluster did disagrees with what was predicted: a case, as the list of disagreements has it. */
export interface Disagreement extends Omit<Response<typeof agreementCase>, 'capturedAt'> {
  readonly capturedAt: string;
}

/** An event without its id: plain JSON, the same for every reader. */
export type ClusterNews =
  | { readonly type: 'headChanged'; readonly headChanged: HeadChanged }
  | { readonly type: 'taintChangeRecorded'; readonly taintChangeRecorded: TaintChangeRecorded }
  | { readonly type: 'expectationTurned'; readonly expectationTurned: ExpectationTurned }
  | { readonly type: 'disagreement'; readonly disagreement: Disagreement }
  | { readonly type: 'scheduleChanged'; readonly scheduleChanged: ScheduleChanged }
  | { readonly type: 'evictionDue'; readonly evictionDue: EvictionDue };

/** The taint values that occur in the text of an event, by their keys: they are masked for some readers. */
export interface MaskableNews {
  readonly news: ClusterNews;
  readonly values: ValuesByKey;
}
