import { CelCompileError, PlanError, Program } from '../../cel/program.js';
import { BOOL, describeType, DYN, NULL, sameType, STRING, type CelType } from '../../cel/types.js';
import type {
  MutatingAdmissionPolicySpec,
  ValidatingAdmissionPolicySpec,
} from '../../kubernetes/objects/admission-policies.js';
import { APPLY_CONFIGURATION_TYPE, JSON_PATCH_TYPE } from './patch-types.js';
import { policyEnvironment, typeOfVariable, type PolicyScope } from './policy-environment.js';

/** Why an expression of a policy is not taken. */
export interface ExpressionProblem {
  /** An expression that cannot be evaluated is an internal error of the API server. */
  readonly isInternal: boolean;
  /** The API server's words; undefined for an expression that its parser refuses, whose words are not known here. */
  readonly detail: string | undefined;
}

export type Compiled = Program | ExpressionProblem;

export const isProgram = (compiled: Compiled): compiled is Program => compiled instanceof Program;

class WrongType extends Error {
  override readonly name = 'WrongType';
}

/**
 * Compiles an expression that must have one of some types; `any` for every type.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/cel/compile.go, `CompileCELExpression`.
 *
 * @throws {CelUnsupported}
 */
export function compileExpression(expression: string, scope: PolicyScope, types: readonly CelType[] | 'any'): Compiled {
  const isAllowed = (type: CelType): void => {
    if (types === 'any' || types.some((one) => sameType(one, type))) return;
    const wanted = types.map(describeType);
    const which = wanted.length === 1 ? wanted[0]! : `one of [${wanted.join(' ')}]`;
    throw new WrongType(`must evaluate to ${which} but got ${describeType(type)}`);
  };
  try {
    return Program.compile(expression, policyEnvironment(scope), isAllowed);
  } catch (error) {
    if (error instanceof WrongType) return { isInternal: false, detail: error.message };
    if (error instanceof PlanError) {
      return { isInternal: true, detail: `program instantiation failed: ${error.message}` };
    }
    if (!(error instanceof CelCompileError)) throw error;
    const { text } = error;
    return { isInternal: false, detail: text === undefined ? undefined : `compilation failed: ${text}` };
  }
}

/** A policy's expressions, compiled; in the order in which they are written, `undefined` where there is none. */
export interface CompiledPolicy {
  readonly variables: readonly { readonly name: string; readonly compiled: Compiled }[];
  readonly matchConditions: readonly Compiled[];
  readonly validations: readonly Compiled[];
  readonly messages: readonly (Compiled | undefined)[];
  readonly auditAnnotations: readonly Compiled[];
}

const AUDIT_TYPES = [STRING, NULL];

/**
 * Compiles all expressions of a policy as for a request. A variable can name those before it.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/policy/validating/plugin.go, `compilePolicy`.
 *
 * @throws {CelUnsupported}
 */
export function compilePolicy(spec: ValidatingAdmissionPolicySpec): CompiledPolicy {
  const { variables, whole } = compileVariables(spec);
  return {
    variables,
    matchConditions: (spec.matchConditions ?? []).map(({ expression }) => compileExpression(expression, whole, [BOOL])),
    validations: (spec.validations ?? []).map(({ expression }) => compileExpression(expression, whole, [BOOL])),
    messages: (spec.validations ?? []).map(({ messageExpression = '' }) =>
      messageExpression === ''
        ? undefined
        : compileExpression(messageExpression, { ...whole, hasAuthorizer: false }, [STRING]),
    ),
    auditAnnotations: (spec.auditAnnotations ?? []).map(({ valueExpression }) =>
      compileExpression(valueExpression, whole, AUDIT_TYPES),
    ),
  };
}

/** The expressions of a mutating policy, compiled. */
export interface CompiledMutations extends Pick<CompiledPolicy, 'variables' | 'matchConditions'> {
  /** Undefined for one without an expression. */
  readonly mutations: readonly (Compiled | undefined)[];
}

/**
 * Compiles all expressions of a mutating policy as for a request.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/policy/mutating/compilation.go.
 *
 * @throws {CelUnsupported}
 */
export function compileMutations(spec: MutatingAdmissionPolicySpec): CompiledMutations {
  const { variables, whole } = compileVariables(spec);
  const scope = { ...whole, hasPatchTypes: true };
  return {
    variables,
    matchConditions: (spec.matchConditions ?? []).map(({ expression }) => compileExpression(expression, whole, [BOOL])),
    mutations: (spec.mutations ?? []).map(({ patchType, applyConfiguration, jsonPatch }) => {
      const isPatch = patchType === 'JSONPatch';
      const { expression } = (isPatch ? jsonPatch : applyConfiguration) ?? {};
      if (expression === undefined) return undefined;
      return compileExpression(expression, scope, [isPatch ? JSON_PATCH_TYPE : APPLY_CONFIGURATION_TYPE]);
    }),
  };
}

/** The variables of a policy, and what expressions after them can name. */
function compileVariables(spec: Pick<ValidatingAdmissionPolicySpec, 'paramKind' | 'variables'>): {
  readonly variables: CompiledPolicy['variables'];
  readonly whole: PolicyScope;
} {
  const hasParams = spec.paramKind !== undefined;
  const types = new Map<string, CelType>();
  const scope = (): PolicyScope => ({ hasParams, hasAuthorizer: true, variables: new Map(types) });
  const variables = (spec.variables ?? []).map(({ name, expression }) => {
    const compiled = compileExpression(expression, scope(), 'any');
    types.set(name, isProgram(compiled) ? typeOfVariable(compiled.type) : DYN);
    return { name, compiled };
  });
  return { variables, whole: scope() };
}

export { AUDIT_TYPES };
