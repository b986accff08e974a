import type { ExpiryState } from '../../storage/taint-trail/taint-change-store.js';
import type { TaintEffects } from '../../core/taint-effects/taint-effects.js';
import type {
  IntentStatus,
  StatusCounts,
  StoredTaintChange,
  TaintChangeAction,
} from '../../storage/taint-trail/taint-change-store.js';
import type { Basis } from '../reads/basis.js';
import type { NodeOutcome } from './node-outcome.js';

/** Who made a change. */
export interface ChangeAuthor {
  readonly name: string;
  readonly kind: 'anonymous' | 'token' | 'oidc' | 'service';
  readonly groups: readonly string[];
  /** The identity provider that vouches for the name; null for other kinds. */
  readonly issuer: string | null;
}

/** A change as it was asked for. */
export interface AskedChange {
  readonly nodes?: readonly string[];
  readonly labelSelector?: string;
  readonly allNodes?: boolean;
  /** kubectl's words, or what comes to the same. */
  readonly taints: readonly string[];
  readonly labels: readonly string[];
  readonly unschedulable: boolean | null;
  readonly overwrite: boolean;
  readonly perNode: boolean;
  /** Of a revert: whether changes made since were to be overridden. */
  readonly force: boolean;
}

/** What is kept of a change, besides what is searched. */
export interface ChangeDetails {
  readonly by: ChangeAuthor;
  readonly onBehalfOf: string | null;
  readonly reason: string;
  readonly link: string | null;
  readonly request: AskedChange;
  /** Commands that do the same to the cluster itself. */
  readonly kubectl: readonly string[];
  readonly counts: Readonly<Record<NodeOutcome['outcome'], number>>;
  /** What the change did, by the state that it was made on. */
  readonly effects: TaintEffects;
}

/** A change that was made through this service. */
export interface TaintChangeView extends ChangeDetails {
  readonly id: string;
  readonly revision: number;
  /** Of its first record in the trail. */
  readonly sequence: number;
  readonly madeAt: Date;
  readonly action: TaintChangeAction;
  readonly undoes: string | null;
  readonly undoneBy: string | null;
  readonly expiresAt: Date | null;
  readonly expiry: ExpiryState | null;
  /** What snapshots and audit events say of it: one word where all nodes agree, else `mixed`. */
  readonly status: IntentStatus | 'mixed';
  readonly statuses: StatusCounts;
}

/** What came of one node, and what is known of it since. */
export interface NodeChangeView extends NodeOutcome {
  readonly status: IntentStatus | null;
  /** The snapshot or the audit event that said so. */
  readonly saidBy: {
    readonly revision: number | null;
    readonly at: string | null;
    readonly auditID: string | null;
  } | null;
}

/** A change, or what one would do. */
export interface TaintChangeAnswer {
  /** The state that it was worked out on where nothing is stored; else the new one. */
  readonly basis: Basis;
  readonly dryRun: boolean;
  /** null where nothing was stored: a dry run, or no node that changes. */
  readonly change: TaintChangeView | null;
  /** At most `MOST_NODES`, those that are refused first. */
  readonly nodes: readonly NodeChangeView[];
  /** Nodes that were asked for beyond those; the commands and the effects cover all of them. */
  readonly nodesOmitted: number;
  readonly kubectl: readonly string[];
  readonly effects: TaintEffects;
  /** Whether this is the answer to a request that was made before under the same key. */
  readonly replayed: boolean;
}

/** Nodes that one answer has in full: some MB. */
const MOST_NODES = 1000;

/** As many nodes as an answer has, refused ones before the others, whatever their place. */
export function nodesShown<Outcome extends Pick<NodeOutcome, 'outcome'>>(
  all: readonly Outcome[],
): { readonly shown: readonly Outcome[]; readonly nodesOmitted: number } {
  if (all.length <= MOST_NODES) return { shown: all, nodesOmitted: 0 };
  const refused = all.filter(({ outcome }) => outcome === 'refused');
  const others = all.filter(({ outcome }) => outcome !== 'refused');
  return { shown: [...refused, ...others].slice(0, MOST_NODES), nodesOmitted: all.length - MOST_NODES };
}

export const NO_STATUSES: StatusCounts = { recorded: 0, confirmed: 0, notApplied: 0, overwritten: 0 };

export function taintChangeView(change: StoredTaintChange, statuses: StatusCounts): TaintChangeView {
  const { id, revision, sequence, madeAt, action, undoes, undoneBy, expiresAt, expiry } = change;
  const details = change.details as ChangeDetails;
  return {
    ...details,
    id,
    revision,
    sequence,
    madeAt,
    action,
    undoes,
    undoneBy,
    expiresAt,
    expiry,
    status: overall(statuses),
    statuses,
  };
}

function overall(statuses: StatusCounts): IntentStatus | 'mixed' {
  const present = Object.entries(statuses).filter(([, count]) => count > 0);
  return present.length === 1 ? (present[0]![0] as IntentStatus) : 'mixed';
}
