import { CALL_LIMIT, CelUnsupported, type Program } from '../cel/program.js';
import { isError, type Value } from '../cel/values.js';
import { type Facts, UnknownFact, variablesOf } from './facts.js';
import {
  DEFAULT_APPROVALS,
  type Guardrail,
  type GuardrailOutcome,
  type GuardrailResult,
  type GuardrailEvaluation,
  MAX_APPROVALS,
} from './guardrail.js';

/** What the expressions of one change, or of one run of tests, may cost together. */
const TOTAL_LIMIT = 5_000_000;

/** Counts what expressions cost. */
export class GuardrailBudget {
  private left = TOTAL_LIMIT;

  evaluate(program: Program, variable: (name: string) => Value): Verdict {
    if (this.left <= 0) return { value: 'error', why: 'the guardrails together cost more than they may' };
    try {
      const { value, cost } = program.evaluate(variable, Math.min(this.left, CALL_LIMIT));
      this.left -= cost;
      if (value instanceof UnknownFact) return { value: 'unknown', why: value.message };
      if (isError(value)) return { value: 'error', why: value.message };
      return { value: value === true ? 'met' : 'notMet', result: value };
    } catch (error) {
      if (!(error instanceof CelUnsupported)) throw error;
      return { value: 'error', why: error.message };
    }
  }
}

interface Verdict {
  readonly value: GuardrailEvaluation;
  readonly why?: string;
  readonly result?: Value;
}

/**
 * What each rule says of a change. An expression that cannot be evaluated refuses the change, unless it only warns; what depends on
 * something unknown does not hold.
 *
 * Runs in steps, one a rule; yields nothing.
 */
export function* stepGuardrails(
  guardrails: readonly Guardrail[],
  facts: Facts,
  budget = new GuardrailBudget(),
): Generator<undefined, GuardrailResult[]> {
  const variable = variablesOf(facts);
  const results: GuardrailResult[] = [];
  for (const guardrail of guardrails) {
    results.push(resultOf(guardrail, facts, variable, budget));
    yield undefined;
  }
  return results;
}

function resultOf(
  guardrail: Guardrail,
  facts: Facts,
  variable: (name: string) => Value,
  budget: GuardrailBudget,
): GuardrailResult {
  const verdict = budget.evaluate(guardrail.program, variable);
  const { outcome, approvalsNeeded } = outcomeOf(guardrail, verdict, facts, budget);
  const message = outcome === 'holds' ? null : messageOf(guardrail, verdict, outcome, variable, budget);
  return {
    rule: guardrail.name,
    action: guardrail.action,
    outcome,
    evaluation: verdict.value,
    message,
    approvalsNeeded,
  };
}

interface Decided {
  readonly outcome: GuardrailOutcome;
  readonly approvalsNeeded: number | null;
}

const decided = (outcome: GuardrailOutcome, approvalsNeeded: number | null = null): Decided => ({
  outcome,
  approvalsNeeded,
});

function outcomeOf(guardrail: Guardrail, { value }: Verdict, facts: Facts, budget: GuardrailBudget): Decided {
  const { action, approvals = DEFAULT_APPROVALS, reads, program } = guardrail;
  const given = facts.change['approvals'] as number;
  const withApprovals = (count: number): GuardrailEvaluation =>
    budget.evaluate(program, variablesOf({ ...facts, change: { ...facts.change, approvals: count } })).value;
  if (value === 'met') {
    const isByApproval = action === 'requireApproval' && reads.approvals && given > 0 && withApprovals(0) !== 'met';
    return isByApproval ? decided('approved', given) : decided('holds');
  }
  if (action === 'warn') return decided('warned');
  if (action === 'refuse' || value === 'error') return decided('refused');
  if (!reads.approvals && !reads.approvers)
    return decided(given >= approvals ? 'approved' : 'approvalNeeded', approvals);
  for (let count = given + 1; count <= MAX_APPROVALS; count++) {
    if (withApprovals(count) === 'met') return decided('approvalNeeded', count);
  }
  // It may depend on who approves.
  return decided(reads.approvers ? 'approvalNeeded' : 'refused');
}

function messageOf(
  { require, message, messageExpression, messageProgram, reads }: Guardrail,
  { value, why }: Verdict,
  outcome: GuardrailOutcome,
  variable: (name: string) => Value,
  budget: GuardrailBudget,
): string {
  const said = messageProgram && messageExpression ? budget.evaluate(messageProgram, variable).result : undefined;
  const base =
    typeof said === 'string' && said.trim() !== '' ? said.slice(0, MAX_MESSAGE) : (message ?? `${require} is not true`);
  if (value === 'unknown') return `${base} (${why})`;
  if (value === 'error') return `${base} (the expression could not be evaluated: ${why})`;
  return outcome === 'refused' && reads.approvals ? `${base} (no number of approvals makes it true)` : base;
}

const MAX_MESSAGE = 1000;
