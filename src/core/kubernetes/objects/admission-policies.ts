import type { KubernetesObject } from './meta.js';
import type { LabelSelector } from './selectors.js';
import type { MatchCondition, WebhookRule } from './webhooks.js';

/** `admissionregistration.k8s.io/v1` NamedRuleWithOperations. */
export interface NamedRule extends WebhookRule {
  /** Empty stands for every name. */
  readonly resourceNames?: readonly string[];
}

/** `admissionregistration.k8s.io/v1` MatchResources: the requests that a policy or a binding is about. */
export interface MatchResources {
  readonly excludeResourceRules?: readonly NamedRule[];
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly resourceRules?: readonly NamedRule[];
}

/** A condition that must hold (CEL), and what is said where it does not. */
export interface PolicyValidation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

/** `admissionregistration.k8s.io/v1` ValidatingAdmissionPolicy. */
export interface ValidatingAdmissionPolicy extends KubernetesObject {
  readonly kind: 'ValidatingAdmissionPolicy';
  readonly spec: ValidatingAdmissionPolicySpec;
}

export interface ValidatingAdmissionPolicySpec {
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly MatchCondition[];
  readonly matchConstraints?: MatchResources;
  readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string };
  readonly validations?: readonly PolicyValidation[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
}

/** Which objects a binding gives to its policy as `params`. */
export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly parameterNotFoundAction?: string;
  readonly selector?: LabelSelector;
}

/** `admissionregistration.k8s.io/v1` ValidatingAdmissionPolicyBinding. */
export interface ValidatingAdmissionPolicyBinding extends KubernetesObject {
  readonly kind: 'ValidatingAdmissionPolicyBinding';
  readonly spec: ValidatingAdmissionPolicyBindingSpec;
}

export interface ValidatingAdmissionPolicyBindingSpec {
  readonly matchResources?: MatchResources;
  readonly paramRef?: ParamRef;
  readonly policyName?: string;
  readonly validationActions?: readonly string[];
}

/** A change by CEL; `patchType` says which of the two expressions makes it. */
export interface PolicyMutation {
  /** Gives an `Object`, which is merged as server-side apply does. */
  readonly applyConfiguration?: { readonly expression?: string };
  /** Gives a list of `JSONPatch`. */
  readonly jsonPatch?: { readonly expression?: string };
  /** `ApplyConfiguration` or `JSONPatch`. */
  readonly patchType?: string;
}

/** `admissionregistration.k8s.io/v1` MutatingAdmissionPolicy. */
export interface MutatingAdmissionPolicy extends KubernetesObject {
  readonly kind: 'MutatingAdmissionPolicy';
  readonly spec: MutatingAdmissionPolicySpec;
}

export interface MutatingAdmissionPolicySpec {
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly MatchCondition[];
  readonly matchConstraints?: MatchResources;
  readonly mutations?: readonly PolicyMutation[];
  readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string };
  /** `Never` or `IfNeeded`. */
  readonly reinvocationPolicy?: string;
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
}

/** `admissionregistration.k8s.io/v1` MutatingAdmissionPolicyBinding. */
export interface MutatingAdmissionPolicyBinding extends KubernetesObject {
  readonly kind: 'MutatingAdmissionPolicyBinding';
  readonly spec: MutatingAdmissionPolicyBindingSpec;
}

export interface MutatingAdmissionPolicyBindingSpec {
  readonly matchResources?: MatchResources;
  readonly paramRef?: ParamRef;
  readonly policyName?: string;
}
