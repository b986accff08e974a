import { dryRun } from '../common/dry-run.js';
import { DECISION_VERDICT, decisionRef } from '../decisions/decision.js';
import { gatePatchOperation } from '../common/patch.js';
import { nodeDevice } from '../common/node-device.js';
import { answerBasis } from '../common/basis.js';
import { partError } from '../common/part-error.js';
import { exampleOf } from '../example-of.js';
import { KEPT_KIND, placementReason } from '../placements/reason.js';
import { factColumn } from '../placements/placement.js';
import { placementTaint } from '../placements/placement-taint.js';
import { list } from '../question.js';
import { enumType, object } from '../schema.js';

export const GATE_REASON_CODE = enumType('GateReasonCode', 'What keeps the verdict from being `yes`.', [
  'ObjectRefused',
  'PodRefused',
  'Unschedulable',
  'NotCreated',
  'ObjectUnknown',
  'PodsUnknown',
  'NothingToRun',
]);

export const GATE_OUTCOME = enumType('GateObjectOutcome', 'What becomes of an object.', [
  'created',
  'configured',
  'unchanged',
  'refused',
  'unknown',
  'notLookedAt',
]);

export const GATE_WARNING_CODE = enumType('GateWarningCode', 'What a warning is about.', [
  'ApiWarning',
  'Finding',
  'Preemption',
  'DisruptionBudget',
  'QuotaNearlyFull',
]);

export const GATE_CHANGED = enumType('GateChangedObject', 'What a proposed change is made to.', [
  'Manifest',
  'Node',
  'ResourceQuota',
]);

const DOCUMENT = {
  type: 'integer',
  optional: true,
  description: 'Position of the document in the request, from 0; null for an object that is not in the request.',
  example: 0,
} as const;

export const gateObjectName = object('GateObjectName', 'An object, and where it is in the request.', {
  apiVersion: { type: 'identifier', description: 'API version.', example: 'apps/v1' },
  kind: { type: 'identifier', description: 'Kind.', example: 'Deployment' },
  namespace: { type: 'identifier', optional: true, description: 'Namespace; null if it has none.', example: 'shop' },
  name: { type: 'identifier', description: 'Name; empty if it is generated.', example: 'web' },
  document: DOCUMENT,
  line: {
    type: 'integer',
    optional: true,
    description: 'First line of the object in the text, from 1; null if the request is no text.',
    example: 1,
  },
  pointer: {
    type: 'identifier',
    optional: true,
    description: 'JSON pointer to the object in the request; null if it is not in the request.',
    example: '/manifests/0',
  },
});

const OBJECT = { type: gateObjectName, optional: true, example: exampleOf(gateObjectName) } as const;

export const gateNodeGroup = object('GateNodeGroup', 'Nodes that refuse a pod for the same reasons.', {
  count: { type: 'integer', description: 'Number of nodes.', example: 1 },
  nodes: {
    type: 'identifier',
    list: true,
    description: 'The first names of these nodes, in order.',
    example: ['node-2'],
  },
  reasons: { type: placementReason, list: true, description: 'Every reason, in calling order of the filters.' },
  untoleratedTaints: { type: placementTaint, list: true, description: 'Taints that the pod does not tolerate.' },
  columns: { type: factColumn, list: true, description: 'The facts in which the nodes differ.', example: [] },
});

export const gateReason = object('GateReason', 'What keeps the verdict from being `yes`.', {
  code: { type: GATE_REASON_CODE, description: GATE_REASON_CODE.description, example: 'Unschedulable' },
  verdict: {
    type: DECISION_VERDICT,
    description: '`no` if it is certain, else `unknown`.',
    example: 'no',
  },
  object: { ...OBJECT, description: 'The object that it is about; null if it is about no object of the request.' },
  message: {
    type: 'string',
    description: 'The message of Kubernetes, to the letter; of something unknown, what it is.',
    example: '0/3 nodes are available: 3 node(s) had untolerated taint(s).',
  },
  by: {
    type: 'identifier',
    optional: true,
    description: 'The plugin, filter or controller that it comes from, if known.',
    example: 'default-scheduler',
  },
  pods: { type: 'integer', description: 'Number of pods that wait, or are not created, for it.', example: 2 },
  nodeGroups: {
    type: gateNodeGroup,
    list: true,
    description: 'For `Unschedulable`: the nodes by their reasons, at most 20 groups, those with the most nodes first.',
  },
  load: {
    type: KEPT_KIND,
    list: true,
    description: 'Kinds to load to know, if that is what is missing.',
    example: [],
  },
});

export const gateObject = object('GateObject', 'An object of the request, and what becomes of it.', {
  ...gateObjectName.members,
  outcome: { type: GATE_OUTCOME, description: GATE_OUTCOME.description, example: 'created' },
  code: {
    type: 'integer',
    optional: true,
    description: 'HTTP status of the API server; null if it is not known.',
    example: 201,
  },
  message: {
    type: 'string',
    optional: true,
    description: 'The refusal to the letter, or why the object was not looked at or is unknown; else null.',
    example: null,
  },
  warnings: { type: 'string', list: true, description: 'Warning headers of the API server.', example: [] },
});

export const gateNodePods = object('GateNodePods', 'Pods of a workload on a node.', {
  node: { type: 'identifier', description: 'The node.', example: 'node-1' },
  pods: { type: 'integer', description: 'Number of pods.', example: 2 },
  devices: {
    type: nodeDevice,
    list: true,
    description: 'The devices that their claims get, at most 100; not those of claims that are allocated already.',
    example: [],
  },
});

export const gateMessage = object('GateMessage', 'A message, and how many pods it is about.', {
  message: {
    type: 'string',
    description: 'The message to the letter.',
    example: '0/3 nodes are available: 3 Insufficient cpu.',
  },
  pods: {
    type: 'integer',
    optional: true,
    description: 'Number of pods; null if they are not counted, as for pods that are not created.',
    example: 1,
  },
});

export const gateVictim = object('GateVictim', 'A pod that the scheduler evicts to make room.', {
  namespace: { type: 'identifier', description: 'Pod namespace.', example: 'batch' },
  name: { type: 'identifier', description: 'Pod name.', example: 'worker-1' },
  node: { type: 'identifier', description: 'Its node.', example: 'node-1' },
  workload: {
    type: 'identifier',
    description: 'Its workload, as kind, namespace and name.',
    example: 'Deployment batch/worker',
  },
});

export const gateWorkload = object('GateWorkload', 'A workload after the rollout.', {
  ...gateObjectName.members,
  desired: { type: 'integer', description: 'Number of wanted pods.', example: 3 },
  created: { type: 'integer', description: 'Number of pods that exist and have not ended.', example: 3 },
  bound: { type: 'integer', description: 'Number of these on a node.', example: 3 },
  pending: { type: 'integer', description: 'Number of these without a node.', example: 0 },
  ready: {
    type: 'integer',
    description: 'Number of these that are ready, if a pod is ready once its containers start.',
    example: 3,
  },
  nodes: { type: gateNodePods, list: true, description: 'The nodes of the pods, most pods first.' },
  failedCreate: { type: gateMessage, list: true, description: 'Refusals of pods.', example: [] },
  failedScheduling: { type: gateMessage, list: true, description: 'Why pods have no node.', example: [] },
  preempts: { type: gateVictim, list: true, description: 'Pods that are evicted for it.', example: [] },
});

export const gateWarning = object('GateWarning', 'What may be wrong, though it does not change the verdict.', {
  code: { type: GATE_WARNING_CODE, description: GATE_WARNING_CODE.description, example: 'QuotaNearlyFull' },
  rule: {
    type: 'identifier',
    optional: true,
    description: 'Code of the finding; null for other warnings.',
    example: null,
  },
  message: { type: 'string', description: 'The warning.', example: 'quota team-quota: 19 of 20 pods are used (95%)' },
  object: { ...OBJECT, description: 'The object that it is about; null if it is about no object of the request.' },
  field: { type: 'identifier', optional: true, description: 'The field, if it is about one.', example: null },
});

export const gateQuota = object('GateQuota', 'Usage of a quota before and after.', {
  namespace: { type: 'identifier', description: 'Quota namespace.', example: 'shop' },
  name: { type: 'identifier', description: 'Quota name.', example: 'team-quota' },
  resource: { type: 'identifier', description: 'Resource name.', example: 'pods' },
  hard: { type: 'identifier', description: 'Limit.', example: '20' },
  before: { type: 'identifier', description: 'Usage before.', example: '16' },
  after: { type: 'identifier', description: 'Usage after.', example: '19' },
});

export const gateChange = object('GateChange', 'A change that belongs to the proposal.', {
  of: { type: GATE_CHANGED, description: GATE_CHANGED.description, example: 'Manifest' },
  object: {
    type: gateObjectName,
    description: 'The object to change. A manifest that is to be added has no document.',
  },
  text: { type: 'string', description: 'What to change.', example: 'tolerate gpu=true:NoSchedule' },
  patch: {
    type: gatePatchOperation,
    list: true,
    description: 'For a manifest: the changes. One operation with an empty path adds a manifest.',
  },
  command: {
    type: 'string',
    optional: true,
    description: 'For a node or quota: the command that makes the change.',
    example: null,
  },
});

export const gate = object('Gate', 'Whether manifests can be deployed and run, and what keeps them from it.', {
  basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
  verdict: { type: DECISION_VERDICT, description: 'Whether the manifests can be deployed and run.', example: 'no' },
  summary: {
    type: 'string',
    description: 'The verdict in one sentence.',
    example: 'Deployment shop/web: 1 of 3 pods has a node.',
  },
  decision: {
    type: decisionRef,
    optional: true,
    description: 'The record of this answer; null if it is not kept.',
    example: null,
  },
  reasons: {
    type: gateReason,
    list: true,
    description: 'What keeps the verdict from being `yes`; what to fix first comes first.',
  },
  objects: { type: gateObject, list: true, description: 'Every object of the request, in its order.' },
  workloads: {
    type: gateWorkload,
    list: true,
    description: 'The workloads and single pods of the request, in its order.',
  },
  warnings: { type: gateWarning, list: true, description: 'What may be wrong besides.', example: [] },
  quotas: { type: gateQuota, list: true, description: 'Quotas that the rollout changes.', example: [] },
  changes: {
    type: gateChange,
    list: true,
    optional: true,
    description:
      'The smallest set of changes that was found to make the verdict `yes`: made literally, the whole gate was evaluated again with them. Null if the verdict is not `no`, or if none was found.',
    example: null,
  },
  changesNote: {
    type: 'string',
    optional: true,
    description:
      'Why there are no changes: what was not looked for, or not found. Null if there are some, or if none are wanted.',
    example: null,
  },
  load: { type: KEPT_KIND, list: true, description: 'Kinds to load to know the verdict.', example: [] },
  dryRuns: {
    type: dryRun,
    list: true,
    description: 'Pods that the API server was asked about, one of each workload; empty without `confirm`.',
    example: [],
  },
});

const clusterGate = object('ClusterGate', 'The gate of one cluster, or its error.', {
  cluster: { type: 'identifier', description: 'The cluster.', example: 'eks-prod' },
  gate: {
    type: gate,
    optional: true,
    description: 'The answer; null if there is an error.',
    example: exampleOf(gate),
  },
  error: { type: partError, optional: true, description: 'Why there is no answer; null if there is one.' },
});

/** The gate of each of several clusters. */
export const clusterGates = list({
  name: 'ClusterGates',
  item: clusterGate,
  itemsDescription: 'The clusters of this page, by name.',
  head: {},
  connection: { name: 'ClusterGate', description: 'The gates of several clusters, by name of the cluster.' },
});
