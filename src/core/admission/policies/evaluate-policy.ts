import type { Evaluation, Program } from '../../cel/program.js';
import { authorizerOf, resourceCheckOf } from '../../cel/libraries/authorizer.js';
import { trimSpace } from '../../cel/libraries/strings.js';
import { CelError, fromJson, isError, LazyMap, type Value } from '../../cel/values.js';
import type { JsonObject } from '../../json/json-value.js';
import type { ValidatingAdmissionPolicySpec } from '../../kubernetes/objects/admission-policies.js';
import { byteLength } from '../../kubernetes/validation/names.js';
import { isProgram, type Compiled, type CompiledPolicy } from './compile-policy.js';
import { namespaceVariable, type NamespaceObject } from './namespace-object.js';
import { VARIABLES } from './policy-environment.js';
import { objectVariable, requestVariable, type PolicyRequest } from './policy-request.js';
import { CelUnsupported } from '../../cel/errors.js';

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

/** What the expressions of a policy are evaluated with. */
export interface PolicyInput {
  readonly request: PolicyRequest;
  /** As it is stored; undefined for a request without one. */
  readonly namespace: NamespaceObject | undefined;
  /** The object that the binding gives; null for none. */
  readonly params: JsonObject | null;
}

/** k8s.io/apiserver v0.36.2, pkg/apis/cel/config.go. */
const BUDGET = 10_000_000;
const MATCH_BUDGET = 2_500_000;
const MAX_MESSAGE_BYTES = 5 * 1024;

const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

class OutOfBudget extends Error {
  override readonly name = 'OutOfBudget';
}

/** What an expression gave; undefined where there is none. */
type Outcome = { readonly value: Value } | { readonly error: string } | undefined;

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
  const matching = evaluateMatchConditions(spec, compiled, input);
  if ('error' in matching) return ignores ? { decisions: [], auditAnnotations: [] } : failed(matching.error);
  if (!matching.matches) return { decisions: [], auditAnnotations: [] };

  const validations = new Evaluator(compiled, input, BUDGET);
  const expressions = (spec.validations ?? []).map(({ expression }) => expression);
  const outcomes = validations.all(compiled.validations, expressions);
  if (outcomes === OUT_OF_BUDGET) return failed(OUT_OF_BUDGET);
  const messageExpressions = (spec.validations ?? []).map(({ messageExpression = '' }) => messageExpression);
  const messages = new Evaluator(compiled, input, validations.budget).all(compiled.messages, messageExpressions);
  const decisions = outcomes.map((outcome, index) => decide(spec, ignores, index, outcome, messages));

  const keys = (spec.auditAnnotations ?? []).map(({ valueExpression }) => valueExpression);
  const values = new Evaluator(compiled, input, BUDGET).all(compiled.auditAnnotations, keys);
  if (values === OUT_OF_BUDGET) return failed(OUT_OF_BUDGET);
  const auditAnnotations = values.flatMap((outcome, index) => annotation(spec, ignores, index, outcome));
  return { decisions, auditAnnotations };
}

function evaluateMatchConditions(
  { matchConditions = [] }: ValidatingAdmissionPolicySpec,
  compiled: CompiledPolicy,
  input: PolicyInput,
): { readonly matches: boolean } | { readonly error: string } {
  const expressions = matchConditions.map(({ expression }) => expression);
  const evaluator = new Evaluator(compiled, { ...input, namespace: undefined }, MATCH_BUDGET);
  const outcomes = evaluator.all(compiled.matchConditions, expressions);
  if (outcomes === OUT_OF_BUDGET) return { error: OUT_OF_BUDGET };
  if (outcomes.some((outcome) => outcome !== undefined && 'value' in outcome && outcome.value === false)) {
    return { matches: false };
  }
  const errors = [...new Set(outcomes.flatMap((outcome) => (outcome && 'error' in outcome ? [outcome.error] : [])))];
  if (errors.length === 0) return { matches: true };
  return { error: errors.length === 1 ? errors[0]! : `[${errors.join(', ')}]` };
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

/** Evaluates expressions one after another, within a budget; the policy's variables are computed once for all of them. */
class Evaluator {
  private readonly values: ReadonlyMap<string, () => Value>;
  /** What variables have cost since the last expression. */
  private spent = 0;

  constructor(
    compiled: CompiledPolicy,
    { request, namespace, params }: PolicyInput,
    public budget: number,
  ) {
    const variables = new LazyMap(
      VARIABLES,
      new Map(compiled.variables.map((variable) => [variable.name, () => this.variable(variable)])),
    );
    const object = once(() => objectVariable(request.object, request));
    const oldObject = once(() => objectVariable(request.oldObject, request));
    this.values = new Map<string, () => Value>([
      ['object', object],
      ['oldObject', oldObject],
      ['namespaceObject', once(() => namespaceVariable(namespace))],
      ['params', once(() => fromJson(params))],
      ['request', once(() => requestVariable(request))],
      ['variables', () => variables],
      ['authorizer', () => authorizerOf(groupsOf(request))],
      ['authorizer.requestResource', () => resourceCheckOf(groupsOf(request))],
    ]);
  }

  /** @returns `OUT_OF_BUDGET` as soon as they cost more than all of them may */
  all(compiled: readonly (Compiled | undefined)[], expressions: readonly string[]): Outcome[] | typeof OUT_OF_BUDGET {
    try {
      return compiled.map((one, index) => (one === undefined ? undefined : this.one(one, expressions[index]!)));
    } catch (error) {
      if (error instanceof OutOfBudget) return OUT_OF_BUDGET;
      throw error;
    }
  }

  private one(compiled: Compiled, expression: string): Outcome {
    if (!isProgram(compiled)) {
      if (compiled.detail === undefined) throw new CelUnsupported('an expression that does not compile');
      return { error: `compilation error: ${compiled.detail}` };
    }
    const { value, cost } = this.evaluate(compiled);
    this.charge(this.spent);
    this.spent = 0;
    this.charge(cost);
    return isError(value) ? { error: `expression '${expression}' resulted in error: ${value.message}` } : { value };
  }

  private charge(cost: number): void {
    if (cost > this.budget) throw new OutOfBudget();
    this.budget -= cost;
  }

  private evaluate(program: Program): Evaluation {
    return program.evaluate((name) => {
      const value = this.values.get(name);
      if (value === undefined) throw new CelUnsupported(name);
      return value();
    });
  }

  private variable({ name, compiled }: CompiledPolicy['variables'][number]): Value {
    if (!isProgram(compiled)) {
      const { detail } = compiled;
      if (detail === undefined) throw new CelUnsupported('an expression that does not compile');
      return new CelError(`composited variable "${name}" fails to compile: ${detail}`);
    }
    const { value, cost } = this.evaluate(compiled);
    this.spent += cost;
    return isError(value) ? new CelError(`composited variable "${name}" fails to evaluate: ${value.message}`) : value;
  }
}

const groupsOf = ({ user }: PolicyRequest): readonly string[] => user?.groups ?? [];

function once(compute: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => (known ??= { value: compute() }).value;
}
