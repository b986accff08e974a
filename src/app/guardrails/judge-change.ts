import { stepGuardrails } from '../../core/guardrails/apply-guardrails.js';
import { factsOf } from '../../core/guardrails/change-facts.js';
import type { GuardrailResult } from '../../core/guardrails/guardrail.js';
import { guardrailsIn } from '../../core/guardrails/read-guardrails.js';
import { defined } from '../../core/collections/defined.js';
import { ageSeconds } from '../reads/resolve-revision.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import type { PlannedChange } from '../taint-changes/change-to-make.js';

/** A document that this version cannot read: whether a change is fine is not known. */
const UNREADABLE: GuardrailResult = {
  rule: 'guardrails',
  action: 'refuse',
  outcome: 'refused',
  evaluation: 'error',
  message:
    'the stored guardrails were written by another version of this service, which has another format; store them again',
  approvalsNeeded: null,
};

/**
 * What the guardrails of a cluster say of a planned change. An automatic expiry is exempt: it ends what the guardrails have let pass
 * for a time.
 */
export async function judgeChange(
  { head, change, plan }: Pick<PlannedChange, 'head' | 'change' | 'plan'>,
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
): Promise<readonly GuardrailResult[]> {
  if (change.action === 'expiry') return [];
  const { guardrails, isUnreadable } = guardrailsIn(head.state);
  if (isUnreadable) return [UNREADABLE];
  if (guardrails.length === 0) return [];
  const { action, author, reason, link, onBehalfOf, expiresAt, permissions, approvers = [], request } = change;
  const { name, labels } = head.cluster;
  const facts = factsOf({
    change: {
      action,
      reason,
      force: request.force,
      apply: false,
      approvers,
      ...defined({ link, onBehalfOf, expiresAt }),
    },
    author: { ...author, permissions },
    cluster: { name, labels, ageSeconds: ageSeconds(head, now) },
    now,
    before: head.state,
    after: plan.after,
    edited: plan.edited,
    effects: plan.effects,
  });
  return runSteps(stepGuardrails(guardrails, facts), new TimeSlices({ signal }));
}
