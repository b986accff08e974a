import { trimSpace } from '../../cel/libraries/strings.js';
import type { ValidatingAdmissionPolicySpec } from '../../kubernetes/objects/admission-policies.js';
import { byteLength } from '../../kubernetes/validation/names.js';
import type { CompiledPolicy } from './compile-policy.js';
import { BUDGET, evaluatorOf, OUT_OF_BUDGET, type Outcome, type PolicyInput } from './evaluator.js';
import { evaluateMatchConditions } from './match-conditions.js';

/** What one validation came to. */
export interface Decision {
  /** False for a validation that holds, and for an error that the policy ignores. */
  readonly isDenied: boolean;
  readonly message: string;
  /** `Forbidden`, `Invalid` or `RequestEntityTooLarge`; empty for an error. */
  readonly reason: string;
}

/** An audit annotation that is published, or an error that refuses the request. */
export type AuditAnnotation =
  { readonly key: string; readonly value: string } | { readonly key: string; readonly error: string };

export interface PolicyResult {
  readonly decisions: readonly Decision[];
  readonly auditAnnotations: readonly AuditAnnotation[];
}

const MAX_MESSAGE_BYTES = 5 * 1024;

/**
 * Evaluates a policy for one request and one object of parameters.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/policy/validating/validator.go, `Validate`, and
 * pkg/admission/plugin/webhook/matchconditions/matcher.go.
 *
 * @throws {CelUnsupported}
 */
export function evaluatePolicy(
  spec: ValidatingAdmissionPolicySpec,
  compiled: CompiledPolicy,
  input: PolicyInput,
): PolicyResult {
  const ignores = spec.failurePolicy === 'Ignore';
  const failed = (message: string): PolicyResult => ({
    decisions: [{ isDenied: !ignores, message, reason: '' }],
    auditAnnotations: [],
  });
  const matching = evaluateMatchConditions(spec.matchConditions, compiled, input);
  if ('error' in matching) return ignores ? { decisions: [], auditAnnotations: [] } : failed(matching.error);
  if (!matching.matches) return { decisions: [], auditAnnotations: [] };

  const validations = evaluatorOf(compiled.validations, compiled.variables, input, BUDGET);
  const expressions = (spec.validations ?? []).map(({ expression }) => expression);
  const outcomes = validations.all(compiled.validations, expressions);
  if (outcomes === OUT_OF_BUDGET) return failed(OUT_OF_BUDGET);
  const messageExpressions = (spec.validations ?? []).map(({ messageExpression = '' }) => messageExpression);
  const messages = evaluatorOf(compiled.messages, compiled.variables, input, validations.budget).all(
    compiled.messages,
    messageExpressions,
  );
  const decisions = outcomes.map((outcome, index) => decide(spec, ignores, index, outcome, messages));

  const keys = (spec.auditAnnotations ?? []).map(({ valueExpression }) => valueExpression);
  const values = evaluatorOf(compiled.auditAnnotations, compiled.variables, input, BUDGET).all(
    compiled.auditAnnotations,
    keys,
  );
  if (values === OUT_OF_BUDGET) return failed(OUT_OF_BUDGET);
  const auditAnnotations = values.flatMap((outcome, index) => annotation(spec, ignores, index, outcome));
  return { decisions, auditAnnotations };
}

function decide(
  { validations = [] }: ValidatingAdmissionPolicySpec,
  ignores: boolean,
  index: number,
  outcome: Outcome,
  messages: readonly Outcome[] | typeof OUT_OF_BUDGET,
): Decision {
  const { expression, message = '', reason = 'Invalid' } = validations[index]!;
  if (outcome !== undefined && 'error' in outcome) return { isDenied: !ignores, message: outcome.error, reason: '' };
  if (messages === OUT_OF_BUDGET) {
    return { isDenied: !ignores, message: `failed messageExpression: ${OUT_OF_BUDGET}`, reason: '' };
  }
  if (outcome?.value === true) return { isDenied: false, message: '', reason: '' };
  const said = messageOf(messages[index]) || trimSpace(message) || `failed expression: ${trimSpace(expression)}`;
  return { isDenied: true, message: said, reason };
}

/** A message that is too long or has several lines is none. */
function messageOf(outcome: Outcome): string {
  if (outcome === undefined || 'error' in outcome || typeof outcome.value !== 'string') return '';
  const message = trimSpace(outcome.value);
  return byteLength(message) > MAX_MESSAGE_BYTES || message.includes('\n') ? '' : message;
}

function annotation(
  { auditAnnotations = [] }: ValidatingAdmissionPolicySpec,
  ignores: boolean,
  index: number,
  outcome: Outcome,
): AuditAnnotation[] {
  const { key } = auditAnnotations[index]!;
  if (outcome !== undefined && 'error' in outcome) return ignores ? [] : [{ key, error: outcome.error }];
  const value = typeof outcome?.value === 'string' ? trimSpace(outcome.value) : '';
  return value === '' ? [] : [{ key, value }];
}
