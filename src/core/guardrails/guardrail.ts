import type { Program } from '../cel/program.js';
import type { TestInputs } from './facts.js';

/** What happens to a change for which a rule does not hold. */
export const GUARDRAIL_ACTIONS = ['refuse', 'warn', 'requireApproval'] as const;
export type GuardrailAction = (typeof GUARDRAIL_ACTIONS)[number];

/** `approved`: it would not hold, and enough callers have approved the change. */
export const GUARDRAIL_OUTCOMES = ['holds', 'warned', 'approved', 'approvalNeeded', 'refused'] as const;
export type GuardrailOutcome = (typeof GUARDRAIL_OUTCOMES)[number];

/** What the expression of a rule gave. `unknown`: it depends on something that is not known. */
export const GUARDRAIL_EVALUATIONS = ['met', 'notMet', 'unknown', 'error'] as const;
export type GuardrailEvaluation = (typeof GUARDRAIL_EVALUATIONS)[number];

/** The approvals that a rule asks for unless it says how many. */
export const DEFAULT_APPROVALS = 1;
/** The most approvals that a rule can ask for. */
export const MAX_APPROVALS = 10;

/** A case of a rule's own tests. */
export interface GuardrailCase {
  readonly name: string;
  readonly given?: TestInputs;
  readonly expect: GuardrailOutcome;
  /** The message, if it matters. */
  readonly message?: string;
}

/** A rule about changes, as written. */
export interface GuardrailSpec {
  readonly name: string;
  readonly description?: string;
  /** CEL: what must be true of a change. */
  readonly require: string;
  readonly action: GuardrailAction;
  readonly approvals?: number;
  readonly message?: string;
  /** CEL: a text. */
  readonly messageExpression?: string;
  readonly tests?: readonly GuardrailCase[];
}

/** A rule about changes, compiled. */
export interface Guardrail extends GuardrailSpec {
  readonly program: Program;
  readonly messageProgram: Program | undefined;
  /** Whether the expression itself decides how many approvals, or whose, are enough. */
  readonly reads: { readonly approvals: boolean; readonly approvers: boolean };
}

/** What a rule says of a change. */
export interface GuardrailResult {
  readonly rule: string;
  readonly action: GuardrailAction;
  readonly outcome: GuardrailOutcome;
  readonly evaluation: GuardrailEvaluation;
  /** Why the change is refused, warned about or held; null if the rule holds. */
  readonly message: string | null;
  /** The number of approvals with which it passes; null if none are needed, or the number depends on whose they are. */
  readonly approvalsNeeded: number | null;
}
