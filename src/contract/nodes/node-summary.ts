import { answerBasis } from '../common/basis.js';
import { taint } from '../common/taint.js';
import { workloadName } from '../common/workload-name.js';
import { nodeMatrixOutcome } from '../overview/node-matrix.js';
import { overviewResource } from '../overview/overview.js';
import { object } from '../schema.js';
import { node } from './node.js';

/** Most pods of a node that a summary lists. */
export const MOST_PODS_OF_NODE = 2000;

const podOfNode = object('PodOfNode', 'A pod on a node, and what the taints of the node mean for it.', {
  namespace: { type: 'identifier', description: 'Pod namespace.', example: 'default' },
  name: { type: 'identifier', description: 'Pod name.', example: 'web-0' },
  phase: { type: 'identifier', optional: true, description: 'Pod phase.', example: 'Running' },
  workload: { type: workloadName, description: 'Workload that the pod belongs to.' },
  startedAt: { type: 'time', optional: true, description: 'When the kubelet acknowledged it.', example: null },
  cpu: { type: 'int64', description: 'Requested CPU, in millicores.', example: 250 },
  memory: { type: 'int64', description: 'Requested memory, in bytes.', example: 134217728 },
  outcome: {
    type: 'integer',
    optional: true,
    description: 'Index into `outcomes`; null for a pod that has ended.',
    example: 0,
  },
});

export const nodeSummary = object('NodeSummary', 'A node with its room, its pods, and what its taints mean for them.', {
  basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
  node: { type: node, description: 'The node.' },
  room: { type: overviewResource, list: true, description: 'What the node has, and what its pods request.' },
  taints: { type: taint, list: true, description: 'The taints of the node, and that of its cordon.' },
  outcomes: {
    type: nodeMatrixOutcome,
    list: true,
    description: 'What the taints mean, each outcome once; its `taints` are indexes into `taints`.',
  },
  pods: {
    type: podOfNode,
    list: true,
    description: `The pods of the node by namespace and name, at most ${MOST_PODS_OF_NODE}.`,
  },
  podTotal: { type: 'integer', description: 'Number of pods, also beyond those that are listed.', example: 1 },
});
