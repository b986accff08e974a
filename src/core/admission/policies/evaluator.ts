import { CelUnsupported } from '../../cel/errors.js';
import { authorizerOf, resourceCheckOf } from '../../cel/libraries/authorizer.js';
import type { Evaluation, Program } from '../../cel/program.js';
import { CelError, CelMap, fromJson, isError, LazyMap, type Value } from '../../cel/values.js';
import type { JsonObject } from '../../json/json-value.js';
import { isProgram, type Compiled, type CompiledPolicy } from './compile-policy.js';
import { namespaceVariable, type NamespaceObject } from './namespace-object.js';
import { VARIABLES } from './policy-environment.js';
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

/** Evaluates expressions one after another, within a budget; the policy's variables are computed once for all of them. */
export class Evaluator {
  private readonly values: ReadonlyMap<string, () => Value>;
  /** What variables have cost since the last expression. */
  private spent = 0;

  constructor(
    compiled: CompiledPolicy['variables'],
    { request, namespace, params, unknownOfParams = [] }: PolicyInput,
    public budget: number,
  ) {
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

function paramsVariable(params: JsonObject | null, unknownFields: readonly (readonly string[])[]): Value {
  const value = fromJson(params);
  return value instanceof CelMap ? withUnknown(value, unknownFields) : value;
}

const groupsOf = ({ user }: PolicyRequest): readonly string[] => user?.groups ?? [];

function once(compute: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => (known ??= { value: compute() }).value;
}
