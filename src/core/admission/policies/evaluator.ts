import { CelUnsupported } from '../../cel/errors.js';
import { authorizerOf, resourceCheckOf } from '../../cel/libraries/authorizer.js';
import type { Evaluation, Program } from '../../cel/program.js';
import { CelError, CelMap, fromJson, isError, LazyMap, type Value } from '../../cel/values.js';
import type { JsonObject } from '../../json/json-value.js';
import { stringifyJson } from '../../json/lossless-json.js';
import { isProgram, type Compiled, type CompiledPolicy } from './compile-policy.js';
import { namespaceVariable, type NamespaceObject } from './namespace-object.js';
import { VARIABLES } from './policy-environment.js';
import type { PolicyWork } from './policy-work.js';
import { objectVariable, requestVariable, withUnknown, type PolicyRequest } from './policy-request.js';

/** What the expressions of a policy are evaluated with. */
export interface PolicyInput {
  readonly request: PolicyRequest;
  /** As it is stored; undefined for a request without one. */
  readonly namespace: NamespaceObject | undefined;
  /** The object that the binding gives; null for none. */
  readonly params: JsonObject | null;
  /** Paths of fields that the params may have and that are not known. */
  readonly unknownOfParams?: readonly (readonly string[])[];
  /** Bounds what is evaluated for a request, and keeps the results; absent where nothing bounds it. */
  readonly work?: PolicyWork;
}

/** What all expressions of one policy may cost. Source: k8s.io/apiserver v0.36.2, pkg/apis/cel/config.go, `RuntimeCELCostBudget`. */
export const BUDGET = 10_000_000;

export const OUT_OF_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run';

class OutOfBudget extends Error {
  override readonly name = 'OutOfBudget';
}

/** What an expression gave; undefined where there is none. */
export type Outcome = { readonly value: Value } | { readonly error: string } | undefined;

/**
 * The evaluator of some expressions of a policy for an input: a new one, or that of the same request with what it has evaluated.
 *
 * @param owner stands for the expressions; always the same object for the same ones
 */
export function evaluatorOf(
  owner: object,
  variables: CompiledPolicy['variables'],
  input: PolicyInput,
  budget: number,
): Evaluator {
  const make = (): Evaluator => new Evaluator(variables, input, budget);
  return input.work === undefined ? make() : input.work.keep<Evaluator>(`${budget} ${contentOf(input)}`, owner, make);
}

/** Everything that the results of expressions depend on, besides the policy. */
function contentOf({ request, namespace, params, unknownOfParams = [] }: PolicyInput): string {
  return [
    textOf(request, ofRequest),
    textOf(params, stringifyJson),
    stringifyJson([namespace ?? null, unknownOfParams] as unknown),
  ].join('\n');
}

const ofRequest = ({ drawnTexts, user, name, ...request }: PolicyRequest): string =>
  stringifyJson([request, user ?? null, name ?? null, [...(drawnTexts ?? [])]]);

const TEXTS = new WeakMap<object, string>();

function textOf<T extends object>(value: T | null, write: (value: T) => string): string {
  if (value === null) return '';
  let text = TEXTS.get(value);
  if (text === undefined) TEXTS.set(value, (text = write(value)));
  return text;
}

/** Evaluates expressions one after another, within a budget; each, and each of the policy's variables, once. */
export class Evaluator {
  private readonly outcomes = new Map<Compiled, { readonly outcome: Outcome } | { readonly thrown: Error }>();
  private readonly work: PolicyWork | undefined;
  private readonly values: ReadonlyMap<string, () => Value>;
  /** What variables have cost since the last expression. */
  private spent = 0;

  constructor(
    compiled: CompiledPolicy['variables'],
    { request, namespace, params, unknownOfParams = [], work }: PolicyInput,
    public budget: number,
  ) {
    this.work = work;
    const variables = new LazyMap(
      VARIABLES,
      new Map(compiled.map((variable) => [variable.name, () => this.variable(variable)])),
    );
    const object = once(() => objectVariable(request.object, request));
    const oldObject = once(() => objectVariable(request.oldObject, request));
    this.values = new Map<string, () => Value>([
      ['object', object],
      ['oldObject', oldObject],
      ['namespaceObject', once(() => namespaceVariable(namespace))],
      ['params', once(() => paramsVariable(params, unknownOfParams))],
      ['request', once(() => requestVariable(request))],
      ['variables', () => variables],
      ['authorizer', () => authorizerOf(groupsOf(request))],
      ['authorizer.requestResource', () => resourceCheckOf(groupsOf(request))],
    ]);
  }

  /** The values of the variables that are objects. */
  objects(): readonly Value[] {
    return ['object', 'oldObject', 'params'].map((name) => this.values.get(name)!());
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
    let known = this.outcomes.get(compiled);
    if (known === undefined) this.outcomes.set(compiled, (known = this.tried(compiled, expression)));
    if ('thrown' in known) throw known.thrown;
    return known.outcome;
  }

  /** @throws {SliceUsed} */
  private tried(compiled: Compiled, expression: string): { readonly outcome: Outcome } | { readonly thrown: Error } {
    try {
      return { outcome: this.evaluated(compiled, expression) };
    } catch (error) {
      if (error instanceof CelUnsupported || error instanceof OutOfBudget) return { thrown: error };
      throw error;
    }
  }

  private evaluated(compiled: Compiled, expression: string): Outcome {
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
    this.work?.begin();
    const evaluation = program.evaluate((name) => {
      const value = this.values.get(name);
      if (value === undefined) throw new CelUnsupported(name);
      return value();
    });
    this.work?.spend(evaluation.cost);
    return evaluation;
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

function paramsVariable(params: JsonObject | null, unknownFields: readonly (readonly string[])[]): Value {
  const value = fromJson(params);
  return value instanceof CelMap ? withUnknown(value, unknownFields) : value;
}

const groupsOf = ({ user }: PolicyRequest): readonly string[] => user?.groups ?? [];

function once(compute: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => (known ??= { value: compute() }).value;
}
