import { FIELD_VALIDATION } from '../common/pod-subject.js';
import { object } from '../schema.js';
import { taint } from '../common/taint.js';
import { answerBasis } from '../common/basis.js';

export const nodeCondition = object('NodeCondition', 'A condition of a node.', {
  type: { type: 'identifier', description: 'Condition type.', example: 'Ready' },
  status: { type: 'identifier', description: 'True, False or Unknown.', example: 'True' },
  reason: { type: 'identifier', optional: true, description: 'Machine-readable reason.', example: 'KubeletReady' },
  message: { type: 'string', optional: true, description: 'Human-readable message, if it is stored.' },
  lastTransitionTime: { type: 'identifier', optional: true, description: 'When the status last changed.' },
});

export const node = object(
  'KubernetesNode',
  'A node of a cluster.',
  {
    name: { type: 'identifier', description: 'Node name.', example: 'node-1' },
    createdAt: { type: 'identifier', optional: true, description: 'When the node was created.' },
    labels: { type: 'labels', description: 'Node labels.', example: { 'kubernetes.io/hostname': 'node-1' } },
    taints: { type: taint, list: true, description: 'Taints, in order.' },
    unschedulable: { type: 'boolean', description: 'Whether the node is cordoned.', example: false },
    conditions: { type: nodeCondition, list: true, description: 'Node conditions.' },
    allocatable: {
      type: 'labels',
      description: 'Allocatable amounts, by resource.',
      example: { cpu: '4', memory: '8Gi' },
    },
    requested: {
      type: 'labels',
      description: 'Requests of its non-terminated pods, by resource, as the scheduler counts them.',
      example: { cpu: '1500m', memory: '2Gi' },
    },
    podCount: { type: 'integer', description: 'Number of non-terminated pods on the node.', example: 12 },
    kubeletVersion: { type: 'identifier', optional: true, description: 'Kubelet version.', example: 'v1.34.1' },
    operatingSystem: { type: 'identifier', optional: true, description: 'Operating system.', example: 'linux' },
    architecture: { type: 'identifier', optional: true, description: 'Processor architecture.', example: 'amd64' },
    version: {
      type: 'identifier',
      description: 'Version of the node; pass it in `If-Match` to change the node only if it is unchanged.',
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
      manifest: true,
      description:
        'Manifest of a pod or workload; the response lists nodes with a NoSchedule or NoExecute taint that its pod does not tolerate.',
    },
    fieldValidation: FIELD_VALIDATION,
  },
  { restOnly: true },
);

/** One node, with the basis of the response. */
export const nodeAnswer = object(
  'NodeResponse',
  '',
  {
    basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
    node: { type: node, description: 'The node.' },
  },
  { restOnly: true },
);
