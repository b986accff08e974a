import { KEPT_KIND } from '../placements/reason.js';
import { PATCH_OPERATION } from '../common/patch.js';
import { object, enumType } from '../schema.js';
import { podReferenceInput, POD_SUBJECT } from '../common/pod-subject.js';
import { CONFIRM_MEMBER, dryRun } from '../common/dry-run.js';
import { answerBasis } from '../common/basis.js';
import { workloadName } from '../common/workload-name.js';

export const OPERATION = enumType('AdmissionOperation', 'Operation of the request to the API server.', [
  'create',
  'update',
]);

export const OUTCOME = enumType(
  'AdmissionOutcome',
  'What the API server would do. Unknown: something unknown could change the outcome.',
  ['admitted', 'refused', 'unknown'],
);

export const STEP_OUTCOME = enumType('AdmissionStepOutcome', 'Result of a step for the pod.', [
  'passed',
  'refused',
  'disabled',
  'unknown',
  'notApplicable',
  'notReached',
]);

export const STEP_TYPE = enumType('AdmissionStepType', 'What a step may do with pods.', ['mutating', 'validating']);

export const WEBHOOK_TYPE = enumType('WebhookType', 'What a webhook may do.', ['mutating', 'validating']);

export const admissionQuestionInput = object(
  'AdmissionQuestionInput',
  'A pod, and the operation to review.',
  {
    pod: {
      ...POD_SUBJECT.pod,
      description:
        'Manifest of a Pod, or of a workload: the review then covers the pod that its controller would create. Exactly ' +
        'one of `pod`, `workload`, `podRef` and `workloadRef` is required.',
      example: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web' },
        spec: { containers: [{ name: 'web', image: 'nginx:1.29' }] },
      },
    },
    workload: POD_SUBJECT.workload,
    podRef: { ...POD_SUBJECT.podRef, description: 'A stored pod, sent again as stored.' },
    workloadRef: POD_SUBJECT.workloadRef,
    fieldValidation: POD_SUBJECT.fieldValidation,
    confirm: CONFIRM_MEMBER,
    operation: {
      type: OPERATION,
      optional: true,
      defaultsTo: 'create',
      description: 'Operation of the request.',
      example: 'create',
    },
    stored: {
      type: 'kubernetesObject',
      manifest: true,
      optional: true,
      description:
        'For an update: manifest of the pod that is replaced. Default: the stored pod of the same name, unless ' +
        '`storedRef` is set.',
    },
    storedRef: {
      type: podReferenceInput,
      optional: true,
      description: 'For an update: the stored pod that is replaced.',
    },
  },
  { openApiName: 'TryAdmission' },
);

export const patchOperation = object('PatchOperation', 'An operation of a JSON Patch (RFC 6902), and its reason.', {
  op: { type: PATCH_OPERATION, description: 'add, replace or remove.', example: 'add' },
  path: { type: 'identifier', description: 'JSON pointer into the pod.', example: '/spec/priority' },
  value: {
    type: 'json',
    taintValue: true,
    optional: true,
    description: 'The new value; null for remove.',
    example: 0,
  },
  why: { type: 'string', description: 'Why the operation is made.', example: 'what a pod without a class gets' },
});

export const admissionStep = object('AdmissionStep', 'A step of the admission of a pod.', {
  by: {
    type: 'identifier',
    description:
      'The plugin; decoding, defaults, preparation or validation for the API server itself; or pools, in clusters ' +
      'with pools, where the webhooks are called.',
    example: 'Priority',
  },
  type: {
    type: STEP_TYPE,
    description: 'Validating plugins see the result of all mutating plugins.',
    example: 'mutating',
  },
  outcome: { type: STEP_OUTCOME, description: STEP_OUTCOME.description, example: 'passed' },
  patch: { type: patchOperation, list: true, description: 'Changes by this step.' },
  why: {
    type: 'string',
    optional: true,
    description: 'Why the step did not decide, or why it ran again; null otherwise.',
    example: null,
  },
});

export const admissionCause = object('AdmissionCause', 'An entry of `details.causes` in the refusal.', {
  reason: { type: 'identifier', description: 'Reason of the cause.', example: 'FieldValueInvalid' },
  field: {
    type: 'identifier',
    description: 'Path of the field in Kubernetes notation.',
    example: 'spec.tolerations[0].operator',
  },
  message: { type: 'string', description: 'Message of the cause.', example: 'Required value' },
});

export const admissionRefusal = object('AdmissionRefusal', 'The refusal that the API server would return.', {
  by: {
    type: 'identifier',
    description: 'What refuses the pod: a plugin, validation, decoding or pools.',
    example: 'LimitRanger',
  },
  status: { type: 'integer', description: 'HTTP status code.', example: 403 },
  message: {
    type: 'string',
    description: 'The exact message.',
    example: 'pods "web" is forbidden: maximum cpu usage per Container is 2, but limit is 3',
  },
  causes: { type: admissionCause, list: true, description: 'The individual errors, if returned.' },
});

export const undecidedPlugin = object('UndecidedPlugin', 'An enabled plugin whose result is unknown.', {
  plugin: { type: 'identifier', description: 'Plugin name.', example: 'LimitRanger' },
  missingKind: {
    type: KEPT_KIND,
    optional: true,
    description: 'The kind that was never loaded; null if something else is unknown.',
    example: 'LimitRange',
  },
  why: { type: 'string', description: 'What is unknown.' },
});

export const unevaluatedPlugin = object(
  'UnevaluatedPlugin',
  'An enabled plugin that may affect pods, but is not evaluated by this service.',
  {
    plugin: { type: 'identifier', description: 'Plugin name.', example: 'ServiceAccount' },
    effectOnPods: {
      type: 'string',
      description: 'What the plugin could do to a pod.',
      example: 'sets the service account, mounts its token, and refuses a pod whose account does not exist',
    },
  },
);

export const uncalledWebhook = object(
  'UncalledWebhook',
  'A webhook that the API server would call, but this service does not.',
  {
    type: { type: WEBHOOK_TYPE, description: WEBHOOK_TYPE.description, example: 'mutating' },
    configuration: {
      type: 'identifier',
      description: 'Webhook configuration name.',
      example: 'istio-sidecar-injector',
    },
    name: { type: 'identifier', description: 'Webhook name.', example: 'sidecar-injector.istio.io' },
    failurePolicy: {
      type: 'identifier',
      description: 'What happens if the webhook does not respond: Fail or Ignore.',
      example: 'Fail',
    },
    certain: {
      type: 'boolean',
      description: 'False if the call depends on something unknown: match conditions, or the labels of the namespace.',
      example: true,
    },
    assumedHarmless: {
      type: 'boolean',
      description:
        'Whether the admission configuration of the cluster declares the webhook harmless, so that it does not make the outcome unknown.',
      example: false,
    },
  },
);

export const chargedQuota = object('ChargedQuota', 'A quota of the namespace after the pod was charged.', {
  name: { type: 'identifier', description: 'Quota name.', example: 'team-a' },
  hard: { type: 'labels', description: 'Limits by resource.', example: { pods: '10' } },
  usedBefore: { type: 'labels', description: "Usage according to the quota's status.", example: { pods: '3' } },
  used: { type: 'labels', description: 'Usage after the charge.', example: { pods: '4' } },
  charged: { type: 'boolean', description: 'Whether the pod was charged to the quota.', example: true },
});

export const podSecurityReport = object(
  'PodSecurityReport',
  'What PodSecurity reports about a pod besides refusing or admitting it.',
  {
    warnings: {
      type: 'string',
      list: true,
      description: 'Warnings for the client.',
      example: ['would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)'],
    },
    auditAnnotations: {
      type: 'labels',
      description: 'Annotations of the audit event.',
      example: { 'pod-security.kubernetes.io/enforce-policy': 'privileged:latest' },
    },
  },
);

export const admissionPolicyReport = object(
  'AdmissionPolicyReport',
  'What ValidatingAdmissionPolicies report about a pod besides refusing or admitting it.',
  {
    warnings: {
      type: 'string',
      list: true,
      description: 'Warnings for the client, from failed validations of bindings with the action Warn.',
      example: ["Validation failed for ValidatingAdmissionPolicy 'tag' with binding 'tag': images need a tag"],
    },
    auditAnnotations: {
      type: 'labels',
      description:
        'Annotations of the audit event. Of several failed validations of bindings with the action Audit, the API ' +
        'server records one, in no fixed order; this is the first by the name of the policy.',
      example: { 'tag/images': 'nginx' },
    },
  },
);

export const triedAdmission = object('TriedAdmission', 'What the API server would do with a pod, step by step.', {
  basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
  operation: { type: OPERATION, description: 'The reviewed operation.', example: 'create' },
  outcome: { type: OUTCOME, description: OUTCOME.description, example: 'admitted' },
  workload: { type: workloadName, optional: true, description: 'Workload of the pod.' },
  pod: {
    type: 'kubernetesObject',
    optional: true,
    description: 'The pod as Kubernetes would store it; null if refused. A generated name ends in xxxxx.',
    example: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'default' },
      spec: { containers: [{ name: 'web', image: 'nginx:1.29' }], priority: 0 },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    },
  },
  refusal: { type: admissionRefusal, optional: true, description: 'The refusal; null if there is none.' },
  steps: { type: admissionStep, list: true, description: 'All steps in the order of the API server.' },
  podSecurity: {
    type: podSecurityReport,
    optional: true,
    description: 'The report of PodSecurity; null if it was not asked, or if it depends on who sends the request.',
  },
  admissionPolicies: {
    type: admissionPolicyReport,
    optional: true,
    description:
      'The report of ValidatingAdmissionPolicies; null if they were not asked, or depend on something unknown.',
  },
  undecided: { type: undecidedPlugin, list: true, description: 'Plugins with an unknown result.', example: [] },
  dryRuns: {
    type: dryRun,
    list: true,
    description: 'Answers of the API server, which decide the outcome; empty without `confirm`.',
    example: [],
  },
  notEvaluated: { type: unevaluatedPlugin, list: true, description: 'Plugins that are not evaluated.' },
  webhooks: { type: uncalledWebhook, list: true, description: 'Webhooks that are not called.' },
  webhooksNotLoaded: {
    type: 'identifier',
    list: true,
    description: 'Kinds of webhook configurations that were never loaded, so that it is unknown whether there are any.',
    example: [],
  },
  quotas: {
    type: chargedQuota,
    list: true,
    description: 'Quotas of the namespace after the charge.',
  },
  unknownFields: {
    type: 'identifier',
    list: true,
    description: 'Paths of fields that Kubernetes does not know.',
    example: [],
  },
  notes: { type: 'string', list: true, description: 'Limitations of the result.', example: [] },
});
