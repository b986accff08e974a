import type { Permission } from '../../auth/permission.js';
import type { Response } from '../../contract/schema.js';
import type { taintChangeOutcome } from '../../contract/taint-changes/taint-change.js';
import { isNoDifference } from '../../core/audit/taint-difference.js';
import type { GuardrailResult } from '../../core/guardrails/guardrail.js';
import type { JsonObject } from '../../core/json/json-value.js';
import type { TaintEdit } from '../../core/taint-change/taint-edit.js';
import type { StoredAskedChange } from '../../storage/taint-trail/asked-change-store.js';
import type { AskedStep } from '../../storage/taint-trail/asked-step.js';
import type {
  CommittedTaintChange,
  IdempotencyKey,
  StoredTaintChange,
} from '../../storage/taint-trail/taint-change-store.js';
import type { PlannedRule, RuleEdit } from '../device-taint-changes/plan-rule.js';
import type { AskedApplication } from '../applying/apply-options.js';
import type { AskedChange, ChangeAuthor, ChangeDetails, RecordedApproval } from './change-details.js';
import type { Targets } from './check-change-request.js';
import type { Working } from './head-for-update.js';
import type { NodesPlan } from './plan-nodes.js';
import type { Precondition } from './precondition.js';

/** The members of any change that are recorded. */
export interface ChangeRecord {
  readonly id: string;
  readonly cluster: string;
  readonly author: ChangeAuthor;
  readonly onBehalfOf?: string;
  readonly reason: string;
  readonly link?: string;
  readonly expiresAt?: Date;
  readonly idempotency?: IdempotencyKey;
  /** The state that the caller has seen; on another state the change is rejected. */
  readonly precondition?: Precondition;
  readonly request: AskedChange;
  readonly dryRun: boolean;
  /** Whether and how the service writes it to the cluster. */
  readonly application?: AskedApplication;
  /** Until when the change may be approved, if it needs approval. */
  readonly approveBy?: Date;
  /** The permissions of the author for the cluster. */
  readonly permissions: readonly Permission[];
  /** The request as it came: if the change waits for approval, it is read again. Absent for changes of the service itself. */
  readonly given?: JsonObject;
  /** The change waited for approval; the step completes it. */
  readonly approval?: { readonly recorded: RecordedApproval; readonly step: AskedStep };
  /** Who has approved the change. */
  readonly approvers?: readonly ChangeAuthor[];
}

/** Applies the same edit to each target. */
export interface EditToMake extends ChangeRecord {
  readonly action: 'change';
  readonly targets: Targets;
  readonly edit: TaintEdit;
  /** The change is of this DeviceTaintRule instead, and has no targets. */
  readonly rule?: RuleEdit;
}

/** Reverts an earlier change, node by node. */
export interface UndoToMake extends ChangeRecord {
  readonly action: 'revert' | 'expiry';
  /** Id of the earlier change. */
  readonly undoes: string;
}

/** A parsed change: its effect on each node depends on the state that it is applied to. */
export type ChangeToMake = EditToMake | UndoToMake;

/** The effect of a change on a given state. */
export interface PlannedChange {
  readonly change: ChangeToMake;
  readonly head: Working;
  readonly plan: NodesPlan;
  readonly kubectl: readonly string[];
  /** What it does to a DeviceTaintRule, if it is of one. */
  readonly rule?: PlannedRule;
  /** What the guardrails of the cluster say. */
  readonly guardrails: readonly GuardrailResult[];
}

/** The moment at which a change is made. */
export interface Moment {
  /** When the request arrived. */
  readonly now: Date;
  /** Throws if a deadline of the change has passed. Called while the cluster is locked. */
  readonly checkInTime: () => void;
}

/** Whether everything is as the change would leave it. */
export const changesNothing = ({ plan, rule }: Pick<PlannedChange, 'plan' | 'rule'>): boolean =>
  rule === undefined ? plan.edited.length === 0 : isNoDifference(rule.difference);

/** The result of a change or of its preview. */
export interface MadeChange extends PlannedChange {
  /** Absent if nothing was stored: for a dry run, or if no node changes. */
  readonly committed?: CommittedTaintChange & { readonly details: ChangeDetails };
  /** The change waits for approval. */
  readonly asked?: StoredAskedChange;
  /** The response that was stored for retries. */
  readonly kept?: ChangeAnswer;
}

/** The response to a change. */
export type ChangeAnswer = Response<typeof taintChangeOutcome>;

/** A retry of a request with the same key. */
export type RepeatedChange =
  | { readonly repeated: StoredTaintChange }
  /** It waits for approval, or was never made. */
  | { readonly repeatedAsked: StoredAskedChange }
  /** It changed nothing. */
  | { readonly repeatedAnswer: ChangeAnswer };

export const isRepeated = (made: MadeChange | ChangeToMake | RepeatedChange): made is RepeatedChange =>
  'repeated' in made || 'repeatedAsked' in made || 'repeatedAnswer' in made;
