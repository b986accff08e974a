import { answerBasis } from '../common/basis.js';
import { taint } from '../common/taint.js';
import { frontCodedNames } from '../overview/node-matrix.js';
import { overviewResource } from '../overview/overview.js';
import { enumType, object } from '../schema.js';

export const GROUPED_BY = enumType(
  'NodesGroupedBy',
  '`taints`: nodes with the same list of taints. `pool`: nodes that the same declared pools select; of others, those whose provider ' +
    'names the same node pool in a label.',
  ['taints', 'pool'],
);

const nodeGroup = object('NodeGroup', 'Nodes with the same taints, or of the same pool.', {
  taints: { type: taint, list: true, optional: true, description: 'The taints; null by `pool`.' },
  pools: {
    type: 'identifier',
    list: true,
    optional: true,
    description: 'The pools, none for nodes without; null by `taints`.',
    example: null,
  },
  label: {
    type: 'identifier',
    optional: true,
    description: 'The label that names the pool; null for declared ones.',
    example: null,
  },
  nodes: { type: 'integer', description: 'Number of nodes.', example: 2 },
  ready: { type: 'integer', description: 'Number of them that are ready.', example: 2 },
  unschedulable: { type: 'integer', description: 'Number of them that are cordoned.', example: 0 },
  room: {
    type: overviewResource,
    list: true,
    description: 'What they have of cpu, memory and pods, and what is requested.',
  },
  names: { type: frontCodedNames, description: 'Their names.' },
});

export const nodeGroups = object('NodeGroups', 'The nodes in groups.', {
  basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
  groups: { type: nodeGroup, list: true, description: 'The groups, the largest first.' },
});
