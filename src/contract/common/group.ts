import { enumType, json, object } from '../schema.js';
import { workloadName } from './workload-name.js';

export const groupColumn = object('GroupColumn', 'A value in which the members of a group differ.', {
  name: {
    type: 'string',
    description:
      'Where the value stands in a member that is listed by itself: `node`, `at.latest`. In the group it is null.',
    example: 'node',
  },
  values: {
    type: json<readonly unknown[]>(),
    description: 'A list with a value for each member, in the order of their names.',
    example: ['node-1'],
  },
});

export const groupedWorkload = object('GroupedWorkload', 'The pods of a workload in a group.', {
  workload: { type: workloadName, description: 'The workload.' },
  count: { type: 'integer', description: 'How many names follow.', example: 1 },
  pods: { type: 'string', list: true, description: 'Their names, all of them.', example: ['web-0'] },
  values: {
    type: json<Readonly<Record<string, unknown>>>(),
    description:
      'What these pods share and other workloads of the group do not, by path as in `columns`: `budgets`. In the group it is null.',
    example: {},
  },
});

export const COLUMNS = {
  type: groupColumn,
  list: true,
  description: 'The values in which they differ.',
  example: [],
} as const;

/** The members of a group of pods that are not those of a pod. */
export const POD_GROUP = {
  count: { type: 'integer', description: 'How many pods.', example: 1 },
  workloads: {
    type: groupedWorkload,
    list: true,
    description: 'The pods by workload. Columns have their values in this order.',
  },
  columns: COLUMNS,
} as const;

/** The members of a group of nodes that are not those of a node. */
export const NODE_GROUP = {
  count: { type: 'integer', description: 'How many nodes.', example: 1 },
  nodes: { type: 'string', list: true, description: 'Their names, all of them.', example: ['node-1'] },
  columns: COLUMNS,
} as const;

export const PODS_VIEW = enumType(
  'PodsView',
  'Pods in groups of those that are equal but for amounts, or one by one.',
  ['groups', 'pods'],
);

export const NODES_VIEW = enumType(
  'NodesView',
  'Nodes in groups of those that are equal but for amounts, or one by one.',
  ['groups', 'nodes'],
);
