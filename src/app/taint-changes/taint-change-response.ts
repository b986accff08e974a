import type { askedTaintChange, nodeTaintChange, taintChange } from '../../contract/taint-changes/taint-change.js';
import type { Response } from '../../contract/schema.js';
import type {
  IntentStatus,
  StatusCounts,
  StoredNodeChange,
  StoredTaintChange,
} from '../../storage/taint-trail/taint-change-store.js';
import { approvalResponse } from '../approvals/approval-response.js';
import { labelDifferenceResponse, taintDifferenceResponse } from '../taints/taint-difference-response.js';
import {
  applicationResponse,
  type CountedApplication,
  type NodeApplicationResponse,
} from '../applying/application-response.js';
import type { AskedChange, ChangeDetails } from './change-details.js';
import type { NodeOutcome } from './node-outcome.js';

export const NO_STATUSES: StatusCounts = { recorded: 0, confirmed: 0, notApplied: 0, overwritten: 0 };

type ChangeFacts = Pick<
  StoredTaintChange,
  'id' | 'revision' | 'sequence' | 'madeAt' | 'action' | 'undoes' | 'undoneBy' | 'expiresAt' | 'expiry'
>;

/** Renders a change. */
export function taintChangeResponse(
  { id, revision, sequence, madeAt, action, undoes, undoneBy, expiresAt, expiry }: ChangeFacts,
  { by, onBehalfOf, reason, link, request, counts, approval, guardrails = [], deviceTaintRule }: ChangeDetails,
  statuses: StatusCounts,
  application?: CountedApplication,
): Response<typeof taintChange> {
  return {
    id,
    revision,
    sequence,
    madeAt,
    action,
    by,
    onBehalfOf,
    reason,
    link,
    request: askedChangeResponse(request),
    counts,
    status: overall(statuses),
    statuses,
    application: application === undefined ? null : applicationResponse(application),
    deviceTaintRule: deviceTaintRule?.rule ?? null,
    undoes,
    undoneBy,
    expiresAt,
    expiry,
    approval: approval === undefined ? null : approvalResponse(approval, 'approved', guardrails, null),
  };
}

export function askedChangeResponse(request: AskedChange): Response<typeof askedTaintChange> {
  const { nodes = null, labelSelector = null, allNodes = false, ...asked } = request;
  return { nodes, labelSelector, allNodes, ...asked };
}

/** The common status of all nodes, or `mixed`. */
function overall(statuses: StatusCounts): IntentStatus | 'mixed' {
  const present = Object.entries(statuses).filter(([, count]) => count > 0);
  return present.length === 1 ? (present[0]![0] as IntentStatus) : 'mixed';
}

/** The outcome for a node, and its status since. */
export function nodeChangeResponse(
  { difference, labels, errors, ...outcome }: NodeOutcome,
  intent?: Pick<StoredNodeChange, 'status' | 'saidBy'>,
  application?: NodeApplicationResponse,
): Response<typeof nodeTaintChange> {
  return {
    ...outcome,
    difference: difference === null ? null : taintDifferenceResponse(difference),
    labels: labels === null ? null : labelDifferenceResponse(labels),
    errors: errors.map(({ code, message, field }) => ({ code, message, field: field ?? null })),
    status: intent?.status ?? null,
    evidence: evidenceResponse(intent?.saidBy),
    application: application ?? null,
  };
}

function evidenceResponse(evidence: unknown): Response<typeof nodeTaintChange>['evidence'] {
  if (evidence === null || evidence === undefined) return null;
  const { auditID, observation } = evidence as {
    readonly auditID?: string;
    readonly observation?: { readonly at: string; readonly revision?: number };
  };
  return { auditID: auditID ?? null, revision: observation?.revision ?? null, at: observation?.at ?? null };
}
