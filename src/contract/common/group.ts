import { enumType, json, object } from '../schema.js';
import { workloadName } from './workload-name.js';

export const groupColumn = object('GroupColumn', 'A value that differs between the members of a group.', {
  name: {
    type: 'identifier',
    description: 'Path of the value in an ungrouped item: `node`, `at.latest`. The group has null at this path.',
    example: 'node',
  },
  values: {
    type: json<readonly unknown[]>(),
    taintValue: true,
    columnOf: '',
    description: 'One value per member, in the order of their names.',
    example: ['node-1'],
  },
});

export const groupedWorkload = object('GroupedWorkload', 'The pods of one workload in a group.', {
  workload: { type: workloadName, description: 'The workload.' },
  count: { type: 'integer', description: 'Number of pods.', example: 1 },
  pods: { type: 'identifier', list: true, description: 'Names of all of these pods.', example: ['web-0'] },
  values: {
    type: json<Readonly<Record<string, unknown>>>(),
    taintValue: true,
    columnOf: '',
    description:
      'Values that these pods have in common, but other workloads of the group do not, by path as in `columns`: `budgets`. The group has null at these paths.',
    example: {},
  },
});

export const COLUMNS = {
  type: groupColumn,
  list: true,
  description: 'Values that differ within the group.',
  example: [],
} as const;

/** Members that a group of pods has and a single pod does not. */
export const POD_GROUP = {
  count: { type: 'integer', description: 'Number of pods.', example: 1 },
  workloads: {
    type: groupedWorkload,
    list: true,
    description: 'The pods by workload. Columns list their values in this order.',
  },
  columns: COLUMNS,
} as const;

/** Members that a group of nodes has and a single node does not. */
export const NODE_GROUP = {
  count: { type: 'integer', description: 'Number of nodes.', example: 1 },
  nodes: { type: 'identifier', list: true, description: 'Names of all of these nodes.', example: ['node-1'] },
  columns: COLUMNS,
} as const;

export const PODS_VIEW = enumType('PodsView', 'Pods in groups that are equal except for amounts, or one by one.', [
  'groups',
  'pods',
]);

export const NODES_VIEW = enumType('NodesView', 'Nodes in groups that are equal except for amounts, or one by one.', [
  'groups',
  'nodes',
]);
