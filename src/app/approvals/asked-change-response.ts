import type { taintChange } from '../../contract/taint-changes/taint-change.js';
import type { Response } from '../../contract/schema.js';
import type { StoredAskedChange } from '../../storage/taint-trail/asked-change-store.js';
import type { AskedState } from '../../storage/taint-trail/asked-step.js';
import { askedChangeResponse, NO_STATUSES } from '../taint-changes/taint-change-response.js';
import { approvalResponse } from './approval-response.js';
import { approvalOf, previewOf, requestOf } from './asked-change.js';

/** The state of a change that waits, by the clock: the record of its end may come a little later. */
export const stateOf = ({ state, approveBy }: StoredAskedChange, now: Date): AskedState =>
  state === 'waiting' && approveBy <= now ? 'expired' : state;

const STATUSES = {
  waiting: 'awaitingApproval',
  rejected: 'rejected',
  expired: 'approvalExpired',
  made: 'recorded',
} as const;
const STATES = { waiting: 'waiting', rejected: 'rejected', expired: 'expired', made: 'approved' } as const;

/** Renders a change that was asked and not made. */
export function askedResponse(asked: StoredAskedChange, now: Date): Response<typeof taintChange> {
  const { id, sequence, askedAt } = asked;
  const { action, by, expiresAt, undoes } = requestOf(asked);
  const { details, note } = previewOf(asked);
  const state = stateOf(asked, now);
  return {
    id,
    revision: null,
    sequence,
    madeAt: askedAt,
    action,
    by,
    onBehalfOf: details.onBehalfOf,
    reason: details.reason,
    link: details.link,
    request: askedChangeResponse(details.request),
    counts: details.counts,
    status: STATUSES[state],
    statuses: NO_STATUSES,
    application: null,
    deviceTaintRule: details.deviceTaintRule?.rule ?? null,
    undoes,
    undoneBy: null,
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    expiry: null,
    approval: approvalResponse(approvalOf(asked), STATES[state], details.guardrails ?? [], note),
  };
}
