import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { stepGuardrails } from '../../core/guardrails/apply-guardrails.js';
import { factsOf, type PlannedFacts, type PlannedRuleFacts } from '../../core/guardrails/change-facts.js';
import type { GuardrailResult } from '../../core/guardrails/guardrail.js';
import { guardrailsIn } from '../../core/guardrails/read-guardrails.js';
import { hasEnded } from '../../core/kubernetes/has-ended.js';
import { stepBudgetWarnings } from '../../core/taint-effects/budget-warnings.js';
import { Warnings } from '../../core/taint-effects/warnings.js';
import { defined } from '../../core/collections/defined.js';
import { ageSeconds } from '../reads/resolve-revision.js';
import { stateWithTaintRules } from '../reads/state-under-gates.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import { missingKinds } from '../../core/placement/kinds-not-loaded.js';
import {
  changeRule,
  countEvictions,
  kindsOfRuleChange,
  podEviction,
  type RuleEdit,
} from '../device-taint-changes/plan-rule.js';
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
  { head, change, plan, rule }: Pick<PlannedChange, 'head' | 'change' | 'plan' | 'rule'>,
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
      before: rule?.before ?? head.state,
      plan,
      ...(rule !== undefined && { rule: rule.edit }),
    },
    when,
  );
}

/** A change, from a state before it. */
interface Judged extends Pick<PlannedFacts, 'change' | 'author'> {
  readonly before: ClusterState;
  readonly plan: NodesPlan;
  /** The change is of a DeviceTaintRule. */
  readonly rule?: RuleEdit;
}

/** What the guardrails of a head say. */
export async function judge(
  head: Working,
  { change, author, before, plan, rule }: Judged,
  { now, signal }: When,
): Promise<readonly GuardrailResult[]> {
  const { guardrails, isUnreadable } = guardrailsIn(head.state);
  if (isUnreadable) return [UNREADABLE];
  if (guardrails.length === 0) return [];
  const { name, labels } = head.cluster;
  const { after, edited, effects } = plan;
  const cluster = { name, labels, ageSeconds: ageSeconds(head, now) };
  const slices = new TimeSlices({ signal });
  const planned = { change, author, cluster, now, before, after, edited, effects };
  const facts = factsOf(
    rule === undefined ? planned : { ...planned, rule: await ruleFacts(before, rule, now, slices) },
  );
  return runSteps(stepGuardrails(guardrails, facts), slices);
}

/**
 * What a change of a DeviceTaintRule does where rules count, whatever feature gates were asked for: the author must not choose what the
 * guardrails see.
 */
async function ruleFacts(
  before: ClusterState,
  edit: RuleEdit,
  now: Date,
  slices: TimeSlices,
): Promise<PlannedRuleFacts> {
  const state = stateWithTaintRules(before);
  const { outcome, former, wanted, difference, devices, evictions, after } = await changeRule(state, edit, now, slices);
  const { pods } = after;
  const evicted = evictions.filter(({ when }) => when !== 'cancelled');
  const byLabels = evicted.flatMap(({ pod, when }) =>
    hasEnded(pods.pod(pod))
      ? []
      : [
          {
            namespace: pods.namespace(pod),
            labels: pods.pod(pod).metadata.labels ?? {},
            now: when === 'now' ? 1 : 0,
            after: when === 'now' ? 0 : 1,
          },
        ],
  );
  const warnings = new Warnings();
  await runSteps(stepBudgetWarnings(after, byLabels, warnings), slices);
  return {
    name: edit.rule,
    outcome,
    difference,
    selector: (wanted ?? former)?.spec?.deviceSelector ?? {},
    devices,
    evictions: countEvictions(evictions),
    pods: evicted.map((eviction) => podEviction(after, eviction) as PlannedRuleFacts['pods'][number]),
    budgets: warnings.listed().items.flatMap(({ budget }) => budget ?? []),
    notLoaded: missingKinds(before, kindsOfRuleChange(wanted ?? former, before.rules)),
  };
}
