import type {
  MatchResources,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingAdmissionPolicyBindingSpec,
  MutatingAdmissionPolicySpec,
  NamedRule,
  ParamRef,
  PolicyMutation,
  PolicyValidation,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from '../objects/admission-policies.js';
import { described, list, object } from './containers.js';
import { condition, labelSelector, objectMeta } from './metadata.js';
import { constant, int64, string } from './scalars.js';
import { required } from './schema.js';
import { matchCondition } from './webhooks.js';

/** `v1.NamedRuleWithOperations`. */
const namedRule = object<NamedRule>({
  apiGroups: list(string),
  apiVersions: list(string),
  operations: list(string),
  resourceNames: list(string),
  resources: list(string),
  scope: string,
});

/** `v1.MatchResources`. */
const matchResources = object<MatchResources>({
  excludeResourceRules: list(namedRule),
  matchPolicy: string,
  namespaceSelector: labelSelector,
  objectSelector: labelSelector,
  resourceRules: list(namedRule),
});

/** `v1.Validation`. */
const validation = object<PolicyValidation>({
  expression: required(string),
  message: string,
  messageExpression: string,
  reason: string,
});

/** `v1.AuditAnnotation`. */
const auditAnnotation = object<NonNullable<ValidatingAdmissionPolicySpec['auditAnnotations']>[number]>({
  key: required(string),
  valueExpression: required(string),
});

/** `v1.ParamKind`. */
const paramKind = object<NonNullable<ValidatingAdmissionPolicySpec['paramKind']>>({
  apiVersion: string,
  kind: string,
});

/** `v1.Variable`. */
const variable = object<NonNullable<ValidatingAdmissionPolicySpec['variables']>[number]>({
  expression: required(string),
  name: required(string),
});

/** `v1.ValidatingAdmissionPolicySpec`. */
const policySpec = object<ValidatingAdmissionPolicySpec>({
  auditAnnotations: list(auditAnnotation),
  failurePolicy: string,
  matchConditions: list(matchCondition),
  matchConstraints: matchResources,
  paramKind,
  validations: list(validation),
  variables: list(variable),
});

/** `v1.ValidatingAdmissionPolicyStatus`. */
const policyStatus = described({
  conditions: list(condition),
  observedGeneration: int64,
  typeChecking: described({
    expressionWarnings: list(described({ fieldRef: string, warning: string })),
  }),
});

/** `v1.ValidatingAdmissionPolicy`. */
export const validatingAdmissionPolicy = object<ValidatingAdmissionPolicy>(
  {
    apiVersion: required(string),
    kind: required(constant('ValidatingAdmissionPolicy')),
    metadata: required(objectMeta),
    spec: required(policySpec),
  },
  {
    status: policyStatus,
  },
);

/** `v1.ParamRef`. */
const paramRef = object<ParamRef>({
  name: string,
  namespace: string,
  parameterNotFoundAction: string,
  selector: labelSelector,
});

/** `v1.ValidatingAdmissionPolicyBindingSpec`. */
const bindingSpec = object<ValidatingAdmissionPolicyBindingSpec>({
  matchResources,
  paramRef,
  policyName: string,
  validationActions: list(string),
});

/** `v1.ValidatingAdmissionPolicyBinding`. */
export const validatingAdmissionPolicyBinding = object<ValidatingAdmissionPolicyBinding>({
  apiVersion: required(string),
  kind: required(constant('ValidatingAdmissionPolicyBinding')),
  metadata: required(objectMeta),
  spec: required(bindingSpec),
});

/** `v1.ApplyConfiguration` and `v1.JSONPatch`. */
const expressionOf = object<{ readonly expression?: string }>({ expression: string });

/** `v1.Mutation`. */
const mutation = object<PolicyMutation>({
  applyConfiguration: expressionOf,
  jsonPatch: expressionOf,
  patchType: string,
});

/** `v1.MutatingAdmissionPolicy`. */
export const mutatingAdmissionPolicy = object<MutatingAdmissionPolicy>({
  apiVersion: required(string),
  kind: required(constant('MutatingAdmissionPolicy')),
  metadata: required(objectMeta),
  spec: required(
    object<MutatingAdmissionPolicySpec>({
      failurePolicy: string,
      matchConditions: list(matchCondition),
      matchConstraints: matchResources,
      mutations: list(mutation),
      paramKind,
      reinvocationPolicy: string,
      variables: list(variable),
    }),
  ),
});

/** `v1.MutatingAdmissionPolicyBinding`. */
export const mutatingAdmissionPolicyBinding = object<MutatingAdmissionPolicyBinding>({
  apiVersion: required(string),
  kind: required(constant('MutatingAdmissionPolicyBinding')),
  metadata: required(objectMeta),
  spec: required(object<MutatingAdmissionPolicyBindingSpec>({ matchResources, paramRef, policyName: string })),
});
