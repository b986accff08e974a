import type { GuardrailResult } from '../../core/guardrails/guardrail.js';
import type { TaintEffects } from '../../core/taint-effects/taint-effects.js';
import type { RuleEffects } from '../device-taint-changes/plan-rule.js';
import type { AskedGates } from '../reads/state-under-gates.js';
import type { NodeOutcome } from './node-outcome.js';

/** The author of a change. */
export interface ChangeAuthor {
  readonly name: string;
  readonly kind: 'anonymous' | 'token' | 'oidc' | 'service';
  readonly groups: readonly string[];
  /** The identity provider that issued the name; null for other kinds. */
  readonly issuer: string | null;
}

/** A change as it was requested. */
export interface AskedChange {
  readonly nodes?: readonly string[];
  readonly labelSelector?: string;
  readonly allNodes?: boolean;
  /** In kubectl's notation, or equivalent. */
  readonly taints: readonly string[];
  readonly labels: readonly string[];
  readonly unschedulable: boolean | null;
  readonly overwrite: boolean;
  readonly perNode: boolean;
  /** For a revert: whether later changes are to be overridden. */
  readonly force: boolean;
}

/** What somebody said about a change that needed approval. */
export interface RecordedVote {
  readonly decision: 'approve' | 'reject';
  readonly by: ChangeAuthor;
  readonly reason: string;
  /** RFC 3339. */
  readonly at: string;
  /** False if the preview has become worse since. */
  readonly counts: boolean;
}

/** The approval that a change needed. */
export interface RecordedApproval {
  /** RFC 3339. */
  readonly askedAt: string;
  readonly approveBy: string;
  /** Whether the change is written to the cluster once it is approved. */
  readonly apply: boolean;
  readonly votes: readonly RecordedVote[];
}

/** The stored details of a change, besides the searchable columns. */
export interface ChangeDetails {
  readonly by: ChangeAuthor;
  readonly onBehalfOf: string | null;
  readonly reason: string;
  readonly link: string | null;
  readonly request: AskedChange;
  /** Commands that make the same change in the cluster. */
  readonly kubectl: readonly string[];
  readonly counts: Readonly<Record<NodeOutcome['outcome'], number>>;
  /** The effects of the change on the state that it was made on. */
  readonly effects: TaintEffects;
  /** Absent for changes that were made before there were guardrails. */
  readonly guardrails?: readonly GuardrailResult[];
  /** What it does to a DeviceTaintRule; absent for a change of nodes. */
  readonly deviceTaintRule?: RuleEffects;
  /** The feature gates that were asked for: a revert is judged with them, too. */
  readonly featureGates?: AskedGates;
  /** Absent if the change needed none. */
  readonly approval?: RecordedApproval;
}
