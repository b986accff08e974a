import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { stepGuardrails } from '../../core/guardrails/apply-guardrails.js';
import { factsOf, type PlannedFacts } from '../../core/guardrails/change-facts.js';
import type { GuardrailResult } from '../../core/guardrails/guardrail.js';
import { guardrailsIn } from '../../core/guardrails/read-guardrails.js';
import { defined } from '../../core/collections/defined.js';
import { ageSeconds } from '../reads/resolve-revision.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import type { PlannedChange } from '../taint-changes/change-to-make.js';
import type { Working } from '../taint-changes/head-for-update.js';
import type { NodesPlan } from '../taint-changes/plan-nodes.js';

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

interface When {
  readonly now: Date;
  readonly signal: AbortSignal;
}

/**
 * What the guardrails of a cluster say of a planned change. An automatic expiry is exempt: it ends what the guardrails have let pass
 * for a time.
 */
export async function judgeChange(
  { head, change, plan }: Pick<PlannedChange, 'head' | 'change' | 'plan'>,
  when: When,
): Promise<readonly GuardrailResult[]> {
  if (change.action === 'expiry') return [];
  const { action, author, reason, link, onBehalfOf, expiresAt, permissions, approvers = [] } = change;
  const { request, application } = change;
  return judge(
    head,
    {
      change: {
        action,
        reason,
        force: request.force || application?.options.force === true,
        apply: application !== undefined,
        approvers,
        ...defined({ link, onBehalfOf, expiresAt }),
      },
      author: { ...author, permissions },
      before: head.state,
      plan,
    },
    when,
  );
}

/** A change, from a state before it. */
interface Judged extends Pick<PlannedFacts, 'change' | 'author'> {
  readonly before: ClusterState;
  readonly plan: NodesPlan;
}

/** What the guardrails of a head say. */
export async function judge(
  head: Working,
  { change, author, before, plan }: Judged,
  { now, signal }: When,
): Promise<readonly GuardrailResult[]> {
  const { guardrails, isUnreadable } = guardrailsIn(head.state);
  if (isUnreadable) return [UNREADABLE];
  if (guardrails.length === 0) return [];
  const { name, labels } = head.cluster;
  const { after, edited, effects } = plan;
  const cluster = { name, labels, ageSeconds: ageSeconds(head, now) };
  const facts = factsOf({ change, author, cluster, now, before, after, edited, effects });
  return runSteps(stepGuardrails(guardrails, facts), new TimeSlices({ signal }));
}
