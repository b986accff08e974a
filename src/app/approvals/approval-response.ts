import type { changeApproval } from '../../contract/taint-changes/taint-change.js';
import type { Response } from '../../contract/schema.js';
import type { GuardrailResult } from '../../core/guardrails/guardrail.js';
import type { RecordedApproval } from '../taint-changes/change-details.js';

/** Renders the approval that a change needs, or needed. @param guardrails what they said without approvals */
export function approvalResponse(
  { askedAt, approveBy, apply, votes }: RecordedApproval,
  state: Response<typeof changeApproval>['state'],
  guardrails: readonly GuardrailResult[],
  note: string | null,
): Response<typeof changeApproval> {
  return { state, askedAt, approveBy, apply, ...needsOf(guardrails), votes, note };
}

/** The rules that a change waits for, and with how many approvals it passes; null if that depends on who approves. */
function needsOf(results: readonly GuardrailResult[]): {
  readonly rules: readonly string[];
  readonly needed: number | null;
} {
  const open = results.filter(({ outcome }) => outcome === 'approvalNeeded' || outcome === 'approved');
  const counts = open.map(({ approvalsNeeded }) => approvalsNeeded);
  return {
    rules: open.map(({ rule }) => rule),
    needed: counts.length === 0 || counts.includes(null) ? null : Math.max(...(counts as number[])),
  };
}
