import { CelUnsupported } from '../../cel/errors.js';
import { defined } from '../../collections/defined.js';
import { codePoints } from '../../cel/operations.js';
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../kubernetes/objects/admission-policies.js';
import type { Labels } from '../../kubernetes/objects/meta.js';
import { collectParams, type ParamStore } from './collect-params.js';
import { compilePolicy, type CompiledPolicy } from './compile-policy.js';
import { evaluatePolicy, type AuditAnnotation, type Decision } from './evaluate-policy.js';
import { labelsOf, matchesRequest } from './match-request.js';
import type { NamespaceObject } from './namespace-object.js';
import type { PolicyWork } from './policy-work.js';
import type { PolicyRequest } from './policy-request.js';

/** Why policies refuse a request. */
export interface PolicyRefusal {
  /** HTTP. */
  readonly status: number;
  readonly reason: string;
  /** Without the `pods "x" is forbidden: ` that the API server puts before it. */
  readonly message: string;
}

/** What the policies of a cluster say of a request. */
export interface PolicyVerdict {
  /**
   * Empty for a request that they let pass. Where several refuse, the API server names the first, in an order that is random for policies,
   * bindings and parameters; here stand all that it may name, by name.
   */
  readonly refusals: readonly PolicyRefusal[];
  /** The texts of the Warning headers. */
  readonly warnings: readonly string[];
  /** Audit annotations, by their names with the policy's before them. */
  readonly auditAnnotations: ReadonlyMap<string, string>;
  /** Failed validations that bindings with the action `Audit` note, each as upstream's JSON. */
  readonly auditedFailures: readonly AuditedFailure[];
}

export interface AuditedFailure {
  readonly message: string;
  readonly policy: string;
  readonly binding: string;
  readonly expressionIndex: number;
  readonly validationActions: readonly string[];
}

/** What policies are judged with. */
export interface PolicySurroundings {
  readonly policies: readonly ValidatingAdmissionPolicy[];
  readonly bindings: readonly ValidatingAdmissionPolicyBinding[];
  readonly params: ParamStore;
  /** The namespace of the request as it is stored; undefined where it is not known. */
  readonly namespace: NamespaceObject | undefined;
  readonly work?: PolicyWork | undefined;
}

const STATUS_OF: ReadonlyMap<string, number> = new Map([
  ['Unauthorized', 401],
  ['Forbidden', 403],
  ['RequestEntityTooLarge', 413],
]);
const INVALID = 422;
/** From here on, the API server shortens warnings. */
export const MAX_WARNINGS = 4 * 1024;
const MAX_AUDIT_VALUE = 10 * 1024;

/**
 * Judges a request by the cluster's ValidatingAdmissionPolicies, as the API server does after all other plugins but the webhooks and
 * quota.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/policy/validating/dispatcher.go, `Dispatch`.
 *
 * @throws {CelUnsupported} something that the outcome hangs on is not known or not evaluated here
 */
export function judgeByPolicies(request: PolicyRequest, surroundings: PolicySurroundings): PolicyVerdict {
  return new Judge(request, surroundings).verdict();
}

class Judge {
  private readonly refusals: PolicyRefusal[] = [];
  private readonly warnings = new Set<string>();
  private readonly annotations = new Map<string, string[]>();
  private readonly failures: AuditedFailure[] = [];
  private readonly namespaceLabels: Labels | undefined;
  /** Whether the policy has refused for the binding and the parameters that are judged; it names its first reason. */
  private hasRefused = false;

  constructor(
    private readonly request: PolicyRequest,
    private readonly surroundings: PolicySurroundings,
  ) {
    const { namespace } = surroundings;
    this.namespaceLabels = namespace === undefined ? undefined : labelsOf(namespace.object);
  }

  verdict(): PolicyVerdict {
    for (const policy of byName(this.surroundings.policies)) this.judge(policy);
    const warnings = [...this.warnings];
    if (warnings.reduce((sum, text) => sum + codePoints(text), 0) > MAX_WARNINGS) {
      throw new CelUnsupported('warnings of more than 4096 characters');
    }
    const auditAnnotations = new Map([...this.annotations].map(([key, values]) => [key, values.join(', ')]));
    return { refusals: this.refusals, warnings, auditAnnotations, auditedFailures: this.failures };
  }

  private judge(policy: ValidatingAdmissionPolicy): void {
    const bindings = this.surroundings.bindings.filter(({ spec }) => spec.policyName === policy.metadata.name);
    const { request, namespaceLabels } = this;
    const matches = matchesRequest(policy.spec.matchConstraints ?? {}, request, namespaceLabels);
    if (matches === false || bindings.length === 0) return;
    for (const binding of byName(bindings)) {
      const isBound = matchesRequest(binding.spec.matchResources ?? {}, request, namespaceLabels);
      if (isBound === false) continue;
      if (matches === undefined || isBound === undefined) {
        throw new CelUnsupported('the labels of the namespace');
      }
      this.judgeBound(policy, binding);
    }
  }

  private judgeBound(policy: ValidatingAdmissionPolicy, binding: ValidatingAdmissionPolicyBinding): void {
    const { request, surroundings } = this;
    this.hasRefused = false;
    const collected = collectParams(policy.spec, binding.spec.paramRef, request.namespace, surroundings.params);
    if ('unknown' in collected) throw new CelUnsupported(collected.unknown);
    if ('error' in collected) {
      const message = `failed to configure binding: ${collected.error}`;
      if (policy.spec.failurePolicy !== 'Ignore') this.refuse(policy, binding, { message, reason: '' });
      return;
    }
    if (surroundings.namespace === undefined && request.namespace !== '') throw new CelUnsupported('the namespace');
    for (const params of collected.params) {
      this.hasRefused = false;
      const { namespace } = surroundings;
      const { unknownFields: unknownOfParams } = surroundings.params;
      const result = evaluatePolicy(policy.spec, compiledPolicy(policy), {
        request,
        namespace,
        params,
        unknownOfParams,
        ...defined({ work: surroundings.work }),
      });
      for (const [index, decision] of result.decisions.entries()) {
        if (decision.isDenied) this.act(policy, binding, decision, index);
      }
      for (const annotation of result.auditAnnotations) this.annotate(policy, binding, annotation);
    }
  }

  private act(
    policy: ValidatingAdmissionPolicy,
    binding: ValidatingAdmissionPolicyBinding,
    decision: Decision,
    expressionIndex: number,
  ): void {
    const { validationActions = [] } = binding.spec;
    const { message } = decision;
    const names = { policy: policy.metadata.name, binding: binding.metadata.name };
    for (const action of validationActions) {
      if (action === 'Deny') this.refuse(policy, binding, decision);
      else if (action === 'Audit') this.failures.push({ message, ...names, expressionIndex, validationActions });
      else if (action === 'Warn') {
        const { policy: of, binding: by } = names;
        this.warnings.add(`Validation failed for ValidatingAdmissionPolicy '${of}' with binding '${by}': ${message}`);
      }
    }
  }

  private annotate(
    policy: ValidatingAdmissionPolicy,
    binding: ValidatingAdmissionPolicyBinding,
    annotation: AuditAnnotation,
  ): void {
    if ('error' in annotation) {
      this.refuse(policy, binding, { message: annotation.error, reason: '' });
      return;
    }
    const key = `${policy.metadata.name}/${annotation.key}`;
    const values = this.annotations.get(key) ?? [];
    const value = annotation.value.slice(0, MAX_AUDIT_VALUE);
    if (!values.includes(value)) this.annotations.set(key, [...values, value]);
  }

  private refuse(
    { metadata }: ValidatingAdmissionPolicy,
    binding: ValidatingAdmissionPolicyBinding,
    { message, reason }: Pick<Decision, 'message' | 'reason'>,
  ): void {
    if (this.hasRefused) return;
    this.hasRefused = true;
    const said = reason === '' ? 'Invalid' : reason;
    this.refusals.push({
      status: STATUS_OF.get(said) ?? INVALID,
      reason: said,
      message: `ValidatingAdmissionPolicy '${metadata.name}' with binding '${binding.metadata.name}' denied request: ${message}`,
    });
  }
}

const COMPILED = new WeakMap<ValidatingAdmissionPolicy, CompiledPolicy>();

/** Policies are compiled once, for all requests that they judge. */
function compiledPolicy(policy: ValidatingAdmissionPolicy): CompiledPolicy {
  let compiled = COMPILED.get(policy);
  if (compiled === undefined) COMPILED.set(policy, (compiled = compilePolicy(policy.spec)));
  return compiled;
}

const byName = <T extends { readonly metadata: { readonly name: string } }>(objects: readonly T[]): T[] =>
  objects.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
