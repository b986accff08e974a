import type { TaintEdit } from '../../core/taint-change/taint-edit.js';
import type {
  CommittedTaintChange,
  IdempotencyKey,
  StoredTaintChange,
} from '../../storage/taint-trail/taint-change-store.js';
import type { AskedApplication } from '../applying/apply-options.js';
import type { AskedChange, ChangeAuthor, ChangeDetails } from './change-details.js';
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
}

/** Applies the same edit to each target. */
export interface EditToMake extends ChangeRecord {
  readonly action: 'change';
  readonly targets: Targets;
  readonly edit: TaintEdit;
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
}

/** The result of a change or of its preview. */
export interface MadeChange extends PlannedChange {
  /** Absent if nothing was stored: for a dry run, or if no node changes. */
  readonly committed?: CommittedTaintChange & { readonly details: ChangeDetails };
}

/** A retry of a request with the same key. */
export interface RepeatedChange {
  readonly repeated: StoredTaintChange;
}
