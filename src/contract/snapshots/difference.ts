import { object, enumType } from '../schema.js';
import { answerBasis } from '../common/basis.js';

export const namedChange = object(
  'NamedChange',
  'A value by name before and after; null where there was, or is, none.',
  {
    name: { type: 'string', description: 'The key of the label, or the resource.', example: 'nvidia.com/gpu' },
    before: { type: 'string', optional: true, description: 'Before.', example: null },
    after: { type: 'string', optional: true, description: 'After.', example: '8' },
  },
);

export const textChange = object('TextChange', 'A value before and after; null where there was, or is, none.', {
  before: { type: 'string', optional: true, description: 'Before.', example: 'True' },
  after: { type: 'string', optional: true, description: 'After.', example: 'Unknown' },
});

export const booleanChange = object(
  'BooleanChange',
  'A value before and after; null where there was, or is, no node.',
  {
    before: { type: 'boolean', optional: true, description: 'Before.', example: false },
    after: { type: 'boolean', optional: true, description: 'After.', example: true },
  },
);

export const NODE_CHANGE = enumType('NodeChange', 'What became of a node.', ['added', 'removed', 'changed']);

export const nodeDifference = object('NodeDifference', 'What placement can see of the change of one node.', {
  node: { type: 'string', description: 'The node.', example: 'node-7' },
  change: { type: NODE_CHANGE, description: 'What became of it.', example: 'changed' },
  taintsAdded: { type: 'string', list: true, description: 'Taints that it has now.', example: ['gpu=true:NoSchedule'] },
  taintsRemoved: { type: 'string', list: true, description: 'Taints that it had.', example: [] },
  labels: { type: namedChange, list: true, description: 'Labels that differ, by key.' },
  allocatable: { type: namedChange, list: true, description: 'Allocatable amounts that differ, by resource.' },
  cordoned: { type: booleanChange, optional: true, description: 'Cordoned or not; null when it is the same.' },
  ready: { type: textChange, optional: true, description: 'The condition Ready; null when it is the same.' },
  kubeletVersion: { type: textChange, optional: true, description: 'Its kubelet; null when it is the same.' },
});

export const workloadDifference = object('WorkloadDifference', 'How the pods of one workload differ.', {
  kind: {
    type: 'string',
    description: 'The kind of its outermost controller; Pod for pods without one.',
    example: 'Deployment',
  },
  namespace: { type: 'string', description: 'The namespace.', example: 'default' },
  name: { type: 'string', description: 'The name.', example: 'web' },
  before: { type: 'integer', description: 'Pods that it had.', example: 3 },
  after: { type: 'integer', description: 'Pods that it has.', example: 4 },
  added: { type: 'integer', description: 'Pods that came.', example: 2 },
  removed: { type: 'integer', description: 'Pods that went.', example: 1 },
  moved: { type: 'integer', description: 'Pods that left their node and kept their name.', example: 0 },
  scheduled: { type: 'integer', description: 'Pods that had no node, and have one.', example: 0 },
});

export const podDifference = object('PodDifference', 'All pods together.', {
  before: { type: 'integer', description: 'How many there were.', example: 120 },
  after: { type: 'integer', description: 'How many there are.', example: 121 },
  added: { type: 'integer', description: 'Pods that came.', example: 2 },
  removed: { type: 'integer', description: 'Pods that went.', example: 1 },
  moved: { type: 'integer', description: 'Pods that left their node and kept their name.', example: 0 },
  scheduled: { type: 'integer', description: 'Pods that had no node, and have one.', example: 0 },
});

export const nodeChangeCounts = object('NodeChangeCounts', 'All nodes together.', {
  added: { type: 'integer', description: 'Nodes that came.', example: 1 },
  removed: { type: 'integer', description: 'Nodes that went.', example: 0 },
  changed: { type: 'integer', description: 'Nodes that differ.', example: 3 },
});

export const differenceSummary = object('DifferenceSummary', 'How much differs, whatever the page.', {
  nodes: { type: nodeChangeCounts, description: 'Nodes.' },
  pods: { type: podDifference, description: 'Pods.' },
  workloads: { type: 'integer', description: 'Workloads whose pods differ.', example: 2 },
});

export const comparedRevision = object('ComparedRevision', 'The revision that another one is compared with.', {
  revision: { type: 'integer', description: 'Its number.', example: 6 },
  capturedAt: {
    type: 'time',
    description: 'When the state was so in the cluster.',
    example: '2026-05-04T03:02:01.000Z',
  },
});

/** What REST and GraphQL have in common: all but the lists, of which each cuts pages in its own way. */
export const differenceHead = object(
  'DifferenceHead',
  '',
  {
    basis: { type: answerBasis, description: 'The revision `to`.' },
    from: { type: comparedRevision, description: 'The revision `from`.' },
    summary: { type: differenceSummary, description: 'How much differs, whatever the page.' },
  },
  { restOnly: true },
);

/** The answer of REST: a page of both lists. */
export const difference = object(
  'Difference',
  'What changed from one revision to another.',
  {
    ...differenceHead.members,
    nodes: { type: nodeDifference, list: true, description: 'Nodes of this page that differ, by name.' },
    workloads: {
      type: workloadDifference,
      list: true,
      description:
        'Workloads of this page whose pods differ, by namespace, kind and name; they follow after all nodes.',
    },
    continue: { type: 'string', optional: true, description: 'For the next page; null on the last one.' },
    remainingItemCount: {
      type: 'integer',
      description: 'How many nodes and workloads follow after this page.',
      example: 0,
    },
  },
  { restOnly: true },
);
