import { InputType, ObjectType } from '@nestjs/graphql';
import type { AdmissionQuestion, TriedAdmission } from '../../app/admission/try-admission.js';
import { defined } from '../../core/collections/defined.js';
import type { JsonObject } from '../../core/json/json-value.js';
import type { Workload as WorkloadName } from '../../core/cluster/pod-table.js';
import { BasisShape } from './basis-shape.js';
import { POD_SUBJECT, PodReferenceBody, type WorkloadReferenceBody } from './pod-subject.js';
import type { Plain } from './plain.js';
import { Given, Shown } from './property.js';
import { wordsType } from './property-type.js';
import { SCENARIO, type ScenarioBody } from './scenario-body.js';
import { WorkloadNameShape } from './workload-name-shape.js';

const OPERATION = wordsType('AdmissionOperation', 'What is asked of the API server.', ['create', 'update']);

const OUTCOME = wordsType(
  'AdmissionOutcome',
  'What the API server would do. Unknown: something that is not known could lead to the other outcome.',
  ['admitted', 'refused', 'unknown'],
);

const STEP_OUTCOME = wordsType('AdmissionStepOutcome', 'What became of the pod at a station.', [
  'passed',
  'refused',
  'off',
  'notJudged',
  'notAsked',
  'notReached',
]);

const DOES = wordsType('AdmissionStepKind', 'What a station does with pods.', ['changes', 'judges']);

const WEBHOOK_TYPE = wordsType('WebhookType', 'What a webhook may do.', ['mutating', 'validating']);

@InputType('AdmissionQuestionInput')
export class AdmissionQuestionBody {
  @Given({
    ...POD_SUBJECT.pod,
    description:
      'The manifest of a Pod, or of a workload, of which the pod that its controller would make is sent. Exactly one of `pod`, `workload`, `podRef` and `workloadRef` is given.',
    example: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'web', image: 'nginx:1.29' }] },
    },
  })
  pod?: JsonObject;

  @Given(POD_SUBJECT.workload)
  workload?: JsonObject;

  @Given({ ...POD_SUBJECT.podRef, description: 'A stored pod, sent again as it is stored.' })
  podRef?: PodReferenceBody;

  @Given(POD_SUBJECT.workloadRef)
  workloadRef?: WorkloadReferenceBody;

  @Given({ type: OPERATION, optional: true, defaultsTo: 'create', description: 'What is asked.', example: 'create' })
  operation?: 'create' | 'update';

  @Given({
    type: 'kubernetesObject',
    optional: true,
    description:
      'Of an update: the manifest of the pod that is replaced. Unless it or `storedRef` is given, the stored pod of the same name is.',
  })
  stored?: JsonObject;

  @Given({
    type: () => PodReferenceBody,
    optional: true,
    description: 'Of an update: the stored pod that is replaced.',
  })
  storedRef?: PodReferenceBody;
}

export class TryAdmissionBody extends AdmissionQuestionBody {
  @Given(SCENARIO)
  scenario?: ScenarioBody;
}

export function admissionQuestion(body: AdmissionQuestionBody): AdmissionQuestion {
  const { pod, workload, podRef, workloadRef, operation = 'create', stored, storedRef } = body;
  return { operation, ...defined({ pod, workload, podRef, workloadRef, stored, storedRef }) };
}

@ObjectType('PatchOperation', { description: 'An operation of a JSON Patch (RFC 6902), with the reason beside.' })
class PatchOperationShape {
  @Shown({ type: 'string', description: 'add, replace or remove.', example: 'add' })
  op!: string;

  @Shown({ type: 'string', description: 'Where in the pod, as a JSON pointer.', example: '/spec/priority' })
  path!: string;

  @Shown({
    type: 'json',
    optional: true,
    description: 'What stands there then; null for what is removed.',
    example: 0,
  })
  value!: unknown;

  @Shown({ type: 'string', description: 'Why.', example: 'what a pod without a class gets' })
  why!: string;
}

@ObjectType('AdmissionStep', { description: 'A station of a pod on its way into storage.' })
class AdmissionStepShape {
  @Shown({
    type: 'string',
    description:
      'The plugin; decoding, defaults, preparation or validation, which are the API server itself; or pools, where the cluster has some and its webhooks are asked.',
    example: 'Priority',
  })
  by!: string;

  @Shown({
    type: DOES,
    description: 'Plugins that judge see what all plugins have made of the pod.',
    example: 'changes',
  })
  does!: string;

  @Shown({ type: STEP_OUTCOME, description: 'What became of the pod here.', example: 'passed' })
  outcome!: string;

  @Shown({ type: () => PatchOperationShape, list: true, description: 'What it changed.' })
  patch!: readonly Plain<PatchOperationShape>[];

  @Shown({
    type: 'string',
    optional: true,
    description: 'Why it had no say, or was asked again; null otherwise.',
    example: null,
  })
  why!: string | null;
}

@ObjectType('AdmissionCause', { description: 'One of details.causes of the refusal.' })
class AdmissionCauseShape {
  @Shown({ type: 'string', description: 'The reason.', example: 'FieldValueInvalid' })
  reason!: string;

  @Shown({ type: 'string', description: 'The field.', example: 'spec.tolerations[0].operator' })
  field!: string;

  @Shown({ type: 'string', description: 'The words.', example: 'Required value' })
  message!: string;
}

@ObjectType('AdmissionRefusal', { description: 'What the API server would answer.' })
class AdmissionRefusalShape {
  @Shown({
    type: 'string',
    description: 'Who refuses: a plugin, validation, decoding or pools.',
    example: 'LimitRanger',
  })
  by!: string;

  @Shown({ type: 'integer', description: 'The HTTP status.', example: 403 })
  status!: number;

  @Shown({
    type: 'string',
    description: 'To the letter.',
    example: 'pods "web" is forbidden: maximum cpu usage per Container is 2, but limit is 3',
  })
  message!: string;

  @Shown({ type: () => AdmissionCauseShape, list: true, description: 'What is wrong, one by one, where it is told.' })
  causes!: readonly Plain<AdmissionCauseShape>[];
}

@ObjectType('PluginNotJudged', { description: 'A plugin that is on, and whose part is not known.' })
class PluginNotJudgedShape {
  @Shown({ type: 'string', description: 'The plugin.', example: 'LimitRanger' })
  plugin!: string;

  @Shown({ type: 'string', description: 'The kind that no snapshot ever had.', example: 'LimitRange' })
  missingKind!: string;

  @Shown({ type: 'string', description: 'What is not known, in words.' })
  why!: string;
}

@ObjectType('PluginNotRun', { description: 'A plugin that is on, that may touch pods, and that is not run here.' })
class PluginNotRunShape {
  @Shown({ type: 'string', description: 'The plugin.', example: 'PodSecurity' })
  plugin!: string;

  @Shown({ type: 'string', description: 'What it could do to a pod.' })
  toPods!: string;
}

@ObjectType('WebhookNotRun', {
  description: 'A webhook of the cluster that the API server would ask, and nobody here.',
})
class WebhookNotRunShape {
  @Shown({ type: WEBHOOK_TYPE, description: 'What it may do.', example: 'mutating' })
  type!: string;

  @Shown({ type: 'string', description: 'Its configuration.', example: 'istio-sidecar-injector' })
  configuration!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'sidecar-injector.istio.io' })
  name!: string;

  @Shown({ type: 'string', description: 'What follows where it does not answer: Fail or Ignore.', example: 'Fail' })
  failurePolicy!: string;

  @Shown({
    type: 'boolean',
    description: 'False where it hangs on what is not known: its match conditions, or the labels of the namespace.',
    example: true,
  })
  certain!: boolean;
}

@ObjectType('ChargedQuota', { description: 'A quota of the namespace, with the pod charged to it.' })
class ChargedQuotaShape {
  @Shown({ type: 'string', description: 'Its name.', example: 'team-a' })
  name!: string;

  @Shown({ type: 'json', description: 'What it allows, by resource.', example: { pods: '10' } })
  hard!: unknown;

  @Shown({ type: 'json', description: 'What its status says is used.', example: { pods: '3' } })
  usedBefore!: unknown;

  @Shown({ type: 'json', description: 'What is used then.', example: { pods: '4' } })
  used!: unknown;

  @Shown({ type: 'boolean', description: 'Whether anything was charged to it.', example: true })
  charged!: boolean;
}

@ObjectType('TriedAdmission', { description: 'What the API server would do with a pod, and how.' })
export class TriedAdmissionShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: OPERATION, description: 'What was asked.', example: 'create' })
  operation!: string;

  @Shown({ type: OUTCOME, description: 'What the API server would do.', example: 'admitted' })
  outcome!: string;

  @Shown({ type: () => WorkloadNameShape, optional: true, description: 'The workload whose pod it is.' })
  workload!: WorkloadName | null;

  @Shown({
    type: 'json',
    optional: true,
    description:
      'The pod as Kubernetes would store it; null where it is refused. A name that is still to be drawn ends in xxxxx.',
  })
  pod!: unknown;

  @Shown({ type: () => AdmissionRefusalShape, optional: true, description: 'Why it is refused; null where it is not.' })
  refusal!: Plain<AdmissionRefusalShape> | null;

  @Shown({ type: () => AdmissionStepShape, list: true, description: "Every station, in the API server's order." })
  steps!: readonly Plain<AdmissionStepShape>[];

  @Shown({ type: () => PluginNotJudgedShape, list: true, description: 'Plugins whose part is not known.' })
  notJudged!: readonly Plain<PluginNotJudgedShape>[];

  @Shown({ type: () => PluginNotRunShape, list: true, description: 'Plugins that are not run here.' })
  notRun!: readonly Plain<PluginNotRunShape>[];

  @Shown({ type: () => WebhookNotRunShape, list: true, description: 'Webhooks that are not asked here.' })
  webhooks!: readonly Plain<WebhookNotRunShape>[];

  @Shown({
    type: 'string',
    list: true,
    description: 'Kinds of webhook configurations that were never loaded: whether there are any is not known.',
    example: ['MutatingWebhookConfiguration'],
  })
  webhooksNotLoaded!: readonly string[];

  @Shown({ type: () => ChargedQuotaShape, list: true, description: 'The quotas of the namespace after the charge.' })
  quotas!: readonly Plain<ChargedQuotaShape>[];

  @Shown({ type: 'string', list: true, description: 'Fields that Kubernetes does not know, by path.', example: [] })
  unknownFields!: readonly string[];

  @Shown({ type: 'string', list: true, description: 'What limits the answer.', example: [] })
  notes!: readonly string[];
}

export const triedAdmissionShape = (tried: TriedAdmission): Plain<TriedAdmissionShape> => tried;
