import { object } from '../schema.js';
import { taint } from '../common/taint.js';
import { answerBasis } from '../common/basis.js';

export const nodeCondition = object('NodeCondition', 'A condition of a node.', {
  type: { type: 'string', description: 'Its type.', example: 'Ready' },
  status: { type: 'string', description: 'True, False or Unknown.', example: 'True' },
  reason: { type: 'string', optional: true, description: 'Why, in a word.', example: 'KubeletReady' },
  message: { type: 'string', optional: true, description: 'Why, in a sentence, where it is kept.' },
  lastTransitionTime: { type: 'string', optional: true, description: 'When its status last changed.' },
});

export const node = object(
  'KubernetesNode',
  'A node of a cluster.',
  {
    name: { type: 'string', description: 'Its name.', example: 'node-1' },
    createdAt: { type: 'string', optional: true, description: 'When it was created.' },
    labels: { type: 'labels', description: 'Its labels.', example: { 'kubernetes.io/hostname': 'node-1' } },
    taints: { type: taint, list: true, description: 'Its taints, in their order.' },
    unschedulable: { type: 'boolean', description: 'Whether it is cordoned.', example: false },
    conditions: { type: nodeCondition, list: true, description: 'Its conditions.' },
    allocatable: {
      type: 'labels',
      description: 'What it has to give, by resource.',
      example: { cpu: '4', memory: '8Gi' },
    },
    requested: {
      type: 'labels',
      description: 'What its pods that have not ended request, by resource, as the scheduler counts it.',
      example: { cpu: '1500m', memory: '2Gi' },
    },
    podCount: { type: 'integer', description: 'Its pods that have not ended.', example: 12 },
    kubeletVersion: { type: 'string', optional: true, description: 'The version of its kubelet.', example: 'v1.34.1' },
    operatingSystem: { type: 'string', optional: true, description: 'Its operating system.', example: 'linux' },
    architecture: { type: 'string', optional: true, description: "Its processor's architecture.", example: 'amd64' },
    version: {
      type: 'string',
      description: 'Names its content: a change of this node can be made to hold for this version alone (`If-Match`).',
      example: '9f86d081884c7d659a2feaa0c55ad015',
    },
  },
  { openApiName: 'Node', hasGlobalId: true },
);

export const searchNodesRequest = object(
  'SearchNodes',
  '',
  {
    pod: {
      type: 'kubernetesObject',
      description:
        'Only nodes with a NoSchedule or NoExecute taint that this pod, or a pod of this workload, does not tolerate.',
    },
  },
  { restOnly: true },
);

/** One node with the head of its answer. */
export const nodeAnswer = object(
  'NodeResponse',
  '',
  {
    basis: { type: answerBasis, description: 'What the answer rests on.' },
    node: { type: node, description: 'The node.' },
  },
  { restOnly: true },
);
