import { object, enumType } from '../schema.js';
import { podReferenceInput, POD_SUBJECT } from '../common/pod-subject.js';
import { answerBasis } from '../common/basis.js';
import { workloadName } from '../common/workload-name.js';

export const OPERATION = enumType('AdmissionOperation', 'What is asked of the API server.', ['create', 'update']);

export const OUTCOME = enumType(
  'AdmissionOutcome',
  'What the API server would do. Unknown: something that is not known could lead to the other outcome.',
  ['admitted', 'refused', 'unknown'],
);

export const STEP_OUTCOME = enumType('AdmissionStepOutcome', 'What became of the pod at a station.', [
  'passed',
  'refused',
  'off',
  'notJudged',
  'notAsked',
  'notReached',
]);

export const DOES = enumType('AdmissionStepKind', 'What a station does with pods.', ['changes', 'judges']);

export const WEBHOOK_TYPE = enumType('WebhookType', 'What a webhook may do.', ['mutating', 'validating']);

export const admissionQuestionInput = object(
  'AdmissionQuestionInput',
  'A pod, and what is asked of the API server for it.',
  {
    pod: {
      ...POD_SUBJECT.pod,
      description:
        'The manifest of a Pod, or of a workload, of which the pod that its controller would make is sent. Exactly one of `pod`, `workload`, `podRef` and `workloadRef` is given.',
      example: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web' },
        spec: { containers: [{ name: 'web', image: 'nginx:1.29' }] },
      },
    },
    workload: POD_SUBJECT.workload,
    podRef: { ...POD_SUBJECT.podRef, description: 'A stored pod, sent again as it is stored.' },
    workloadRef: POD_SUBJECT.workloadRef,
    operation: {
      type: OPERATION,
      optional: true,
      defaultsTo: 'create',
      description: 'What is asked.',
      example: 'create',
    },
    stored: {
      type: 'kubernetesObject',
      optional: true,
      description:
        'Of an update: the manifest of the pod that is replaced. Unless it or `storedRef` is given, the stored pod of the same name is.',
    },
    storedRef: {
      type: podReferenceInput,
      optional: true,
      description: 'Of an update: the stored pod that is replaced.',
    },
  },
  { openApiName: 'TryAdmission' },
);

export const patchOperation = object(
  'PatchOperation',
  'An operation of a JSON Patch (RFC 6902), with the reason beside.',
  {
    op: { type: 'string', description: 'add, replace or remove.', example: 'add' },
    path: { type: 'string', description: 'Where in the pod, as a JSON pointer.', example: '/spec/priority' },
    value: {
      type: 'json',
      optional: true,
      description: 'What stands there then; null for what is removed.',
      example: 0,
    },
    why: { type: 'string', description: 'Why.', example: 'what a pod without a class gets' },
  },
);

export const admissionStep = object('AdmissionStep', 'A station of a pod on its way into storage.', {
  by: {
    type: 'string',
    description:
      'The plugin; decoding, defaults, preparation or validation, which are the API server itself; or pools, where the cluster has some and its webhooks are asked.',
    example: 'Priority',
  },
  does: {
    type: DOES,
    description: 'Plugins that judge see what all plugins have made of the pod.',
    example: 'changes',
  },
  outcome: { type: STEP_OUTCOME, description: 'What became of the pod here.', example: 'passed' },
  patch: { type: patchOperation, list: true, description: 'What it changed.' },
  why: {
    type: 'string',
    optional: true,
    description: 'Why it had no say, or was asked again; null otherwise.',
    example: null,
  },
});

export const admissionCause = object('AdmissionCause', 'One of details.causes of the refusal.', {
  reason: { type: 'string', description: 'The reason.', example: 'FieldValueInvalid' },
  field: { type: 'string', description: 'The field.', example: 'spec.tolerations[0].operator' },
  message: { type: 'string', description: 'The words.', example: 'Required value' },
});

export const admissionRefusal = object('AdmissionRefusal', 'What the API server would answer.', {
  by: {
    type: 'string',
    description: 'Who refuses: a plugin, validation, decoding or pools.',
    example: 'LimitRanger',
  },
  status: { type: 'integer', description: 'The HTTP status.', example: 403 },
  message: {
    type: 'string',
    description: 'To the letter.',
    example: 'pods "web" is forbidden: maximum cpu usage per Container is 2, but limit is 3',
  },
  causes: { type: admissionCause, list: true, description: 'What is wrong, one by one, where it is told.' },
});

export const pluginNotJudged = object('PluginNotJudged', 'A plugin that is on, and whose part is not known.', {
  plugin: { type: 'string', description: 'The plugin.', example: 'LimitRanger' },
  missingKind: { type: 'string', description: 'The kind that no snapshot ever had.', example: 'LimitRange' },
  why: { type: 'string', description: 'What is not known, in words.' },
});

export const pluginNotRun = object(
  'PluginNotRun',
  'A plugin that is on, that may touch pods, and that is not run here.',
  {
    plugin: { type: 'string', description: 'The plugin.', example: 'PodSecurity' },
    toPods: {
      type: 'string',
      description: 'What it could do to a pod.',
      example: "refuses pods that violate the namespace's pod security standard",
    },
  },
);

export const webhookNotRun = object(
  'WebhookNotRun',
  'A webhook of the cluster that the API server would ask, and nobody here.',
  {
    type: { type: WEBHOOK_TYPE, description: 'What it may do.', example: 'mutating' },
    configuration: { type: 'string', description: 'Its configuration.', example: 'istio-sidecar-injector' },
    name: { type: 'string', description: 'Its name.', example: 'sidecar-injector.istio.io' },
    failurePolicy: {
      type: 'string',
      description: 'What follows where it does not answer: Fail or Ignore.',
      example: 'Fail',
    },
    certain: {
      type: 'boolean',
      description: 'False where it hangs on what is not known: its match conditions, or the labels of the namespace.',
      example: true,
    },
  },
);

export const chargedQuota = object('ChargedQuota', 'A quota of the namespace, with the pod charged to it.', {
  name: { type: 'string', description: 'Its name.', example: 'team-a' },
  hard: { type: 'labels', description: 'What it allows, by resource.', example: { pods: '10' } },
  usedBefore: { type: 'labels', description: 'What its status says is used.', example: { pods: '3' } },
  used: { type: 'labels', description: 'What is used then.', example: { pods: '4' } },
  charged: { type: 'boolean', description: 'Whether anything was charged to it.', example: true },
});

export const triedAdmission = object('TriedAdmission', 'What the API server would do with a pod, and how.', {
  basis: { type: answerBasis, description: 'What the answer rests on.' },
  operation: { type: OPERATION, description: 'What was asked.', example: 'create' },
  outcome: { type: OUTCOME, description: 'What the API server would do.', example: 'admitted' },
  workload: { type: workloadName, optional: true, description: 'The workload whose pod it is.' },
  pod: {
    type: 'json',
    optional: true,
    description:
      'The pod as Kubernetes would store it; null where it is refused. A name that is still to be drawn ends in xxxxx.',
    example: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'default' },
      spec: { containers: [{ name: 'web', image: 'nginx:1.29' }], priority: 0 },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    },
  },
  refusal: { type: admissionRefusal, optional: true, description: 'Why it is refused; null where it is not.' },
  steps: { type: admissionStep, list: true, description: "Every station, in the API server's order." },
  notJudged: { type: pluginNotJudged, list: true, description: 'Plugins whose part is not known.', example: [] },
  notRun: { type: pluginNotRun, list: true, description: 'Plugins that are not run here.' },
  webhooks: { type: webhookNotRun, list: true, description: 'Webhooks that are not asked here.' },
  webhooksNotLoaded: {
    type: 'string',
    list: true,
    description: 'Kinds of webhook configurations that were never loaded: whether there are any is not known.',
    example: [],
  },
  quotas: { type: chargedQuota, list: true, description: 'The quotas of the namespace after the charge.' },
  unknownFields: {
    type: 'string',
    list: true,
    description: 'Fields that Kubernetes does not know, by path.',
    example: [],
  },
  notes: { type: 'string', list: true, description: 'What limits the answer.', example: [] },
});
