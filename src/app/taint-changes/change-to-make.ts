import type { TaintEdit } from '../../core/taint-change/taint-edit.js';
import type {
  CommittedTaintChange,
  IdempotencyKey,
  StoredTaintChange,
} from '../../storage/taint-trail/taint-change-store.js';
import type { AskedChange, ChangeAuthor, ChangeDetails } from './change-details.js';
import type { Targets } from './check-change-request.js';
import type { Working } from './head-for-update.js';
import type { NodesPlan } from './plan-nodes.js';
import type { Precondition } from './precondition.js';

/** What goes with any change into the record. */
export interface ChangeRecord {
  readonly id: string;
  readonly cluster: string;
  readonly author: ChangeAuthor;
  readonly onBehalfOf?: string;
  readonly reason: string;
  readonly link?: string;
  readonly expiresAt?: Date;
  readonly idempotency?: IdempotencyKey;
  /** What the caller has seen: on another state the change is refused. */
  readonly precondition?: Precondition;
  readonly request: AskedChange;
  readonly dryRun: boolean;
}

/** The same edit of each target. */
export interface EditToMake extends ChangeRecord {
  readonly action: 'change';
  readonly targets: Targets;
  readonly edit: TaintEdit;
}

/** The inverse of a former change, node by node. */
export interface UndoToMake extends ChangeRecord {
  readonly action: 'revert' | 'expiry';
  /** The former change. */
  readonly undoes: string;
}

/** A change that was read: what it makes of which node depends on the state that it meets. */
export type ChangeToMake = EditToMake | UndoToMake;

/** What a change would make of the state that it met. */
export interface PlannedChange {
  readonly change: ChangeToMake;
  readonly head: Working;
  readonly plan: NodesPlan;
  readonly kubectl: readonly string[];
}

/** What was made, or would be. */
export interface MadeChange extends PlannedChange {
  /** Absent where nothing was stored: a dry run, or no node that changes. */
  readonly committed?: CommittedTaintChange & { readonly details: ChangeDetails };
}

/** The same was asked for before under the same key. */
export interface RepeatedChange {
  readonly repeated: StoredTaintChange;
}
