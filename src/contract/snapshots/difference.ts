import { object, enumType } from '../schema.js';
import { answerBasis } from '../common/basis.js';
import { toleration } from '../pods/pod.js';

export const namedChange = object('NamedChange', 'A value by name before and after; null if there is none.', {
  name: { type: 'identifier', description: 'Label key or resource name.', example: 'nvidia.com/gpu' },
  before: { type: 'identifier', optional: true, description: 'Value before.', example: null },
  after: { type: 'identifier', optional: true, description: 'Value after.', example: '8' },
});

export const textChange = object('TextChange', 'A value before and after; null if there is none.', {
  before: { type: 'identifier', optional: true, description: 'Value before.', example: 'True' },
  after: { type: 'identifier', optional: true, description: 'Value after.', example: 'Unknown' },
});

export const booleanChange = object('BooleanChange', 'A value before and after; null if the node does not exist.', {
  before: { type: 'boolean', optional: true, description: 'Value before.', example: false },
  after: { type: 'boolean', optional: true, description: 'Value after.', example: true },
});

export const NODE_CHANGE = enumType('NodeChange', 'How a node changed.', ['added', 'removed', 'changed']);

export const nodeDifference = object('NodeDifference', 'Differences of a node that are relevant for placement.', {
  node: { type: 'identifier', description: 'Node name.', example: 'node-7' },
  change: { type: NODE_CHANGE, description: NODE_CHANGE.description, example: 'changed' },
  taintsAdded: { type: 'string', list: true, description: 'Added taints.', example: ['gpu=true:NoSchedule'] },
  taintsRemoved: { type: 'string', list: true, description: 'Removed taints.', example: [] },
  labels: { type: namedChange, list: true, description: 'Labels that differ, by key.' },
  allocatable: { type: namedChange, list: true, description: 'Allocatable amounts that differ, by resource.' },
  cordoned: { type: booleanChange, optional: true, description: 'Whether the node is cordoned; null if unchanged.' },
  ready: { type: textChange, optional: true, description: 'Status of the condition Ready; null if unchanged.' },
  kubeletVersion: { type: textChange, optional: true, description: 'Version of the kubelet; null if unchanged.' },
});

export const workloadDifference = object('WorkloadDifference', 'Differences of the pods of one workload.', {
  kind: {
    type: 'identifier',
    description: 'Kind of the outermost controller; Pod for pods without one.',
    example: 'Deployment',
  },
  namespace: { type: 'identifier', description: 'Workload namespace.', example: 'default' },
  name: { type: 'identifier', description: 'Workload name.', example: 'web' },
  before: { type: 'integer', description: 'Number of pods before.', example: 3 },
  after: { type: 'integer', description: 'Number of pods after.', example: 4 },
  added: { type: 'integer', description: 'Added pods.', example: 2 },
  removed: { type: 'integer', description: 'Removed pods.', example: 1 },
  moved: { type: 'integer', description: 'Pods with the same name on another node, or on none.', example: 0 },
  scheduled: { type: 'integer', description: 'Pods that got a node.', example: 0 },
});

export const tolerationDifference = object(
  'TolerationDifference',
  "Differing tolerations of a template, or of a workload's pods.",
  {
    kind: {
      type: 'identifier',
      description: 'Kind with the template, or outermost controller; Pod without one.',
      example: 'Deployment',
    },
    namespace: { type: 'identifier', description: 'Workload namespace.', example: 'default' },
    name: { type: 'identifier', description: 'Workload name.', example: 'web' },
    field: {
      type: 'identifier',
      description: 'The field; `spec.tolerations` for pods.',
      example: 'spec.template.spec.tolerations',
    },
    pods: { type: 'integer', optional: true, description: 'Number of pods; null for a template.' },
    before: {
      type: toleration,
      list: true,
      optional: true,
      description: 'Null if it is not known what these replaced.',
    },
    after: {
      type: toleration,
      list: true,
      optional: true,
      description: 'Null if it is not known what replaced these.',
    },
  },
);

export const OBJECT_CHANGE = enumType('ObjectChange', 'How an object changed.', ['added', 'removed', 'changed']);

export const quotaDifference = object('QuotaDifference', 'Differences in the spec of a ResourceQuota.', {
  namespace: { type: 'identifier', description: 'Quota namespace.', example: 'default' },
  name: { type: 'identifier', description: 'Quota name.', example: 'compute' },
  change: { type: OBJECT_CHANGE, description: 'How the quota changed.', example: 'changed' },
  hard: { type: namedChange, list: true, description: 'Differing amounts in `spec.hard`.' },
  scopesAdded: {
    type: 'identifier',
    list: true,
    description: 'Added scopes.',
    example: ['{PriorityClass In [high]}'],
  },
  scopesRemoved: {
    type: 'identifier',
    list: true,
    description: 'Removed scopes.',
    example: [],
  },
});

export const budgetDifference = object('BudgetDifference', 'Differences in the spec of a PodDisruptionBudget.', {
  namespace: { type: 'identifier', description: 'Budget namespace.', example: 'default' },
  name: { type: 'identifier', description: 'Budget name.', example: 'web' },
  change: { type: OBJECT_CHANGE, description: 'How the budget changed.', example: 'changed' },
  minAvailable: { type: textChange, optional: true, description: 'Null if unchanged.' },
  maxUnavailable: { type: textChange, optional: true, description: 'Null if unchanged.' },
  selector: {
    type: textChange,
    optional: true,
    description: 'In kubectl syntax, empty for all pods; null if unchanged.',
  },
  unhealthyPodEvictionPolicy: {
    type: textChange,
    optional: true,
    description: 'IfHealthyBudget if absent; null if unchanged.',
  },
});

export const podDifference = object('PodDifference', 'All pods.', {
  before: { type: 'integer', description: 'Number of pods before.', example: 120 },
  after: { type: 'integer', description: 'Number of pods after.', example: 121 },
  added: { type: 'integer', description: 'Added pods.', example: 2 },
  removed: { type: 'integer', description: 'Removed pods.', example: 1 },
  moved: { type: 'integer', description: 'Pods with the same name on another node, or on none.', example: 0 },
  scheduled: { type: 'integer', description: 'Pods that got a node.', example: 0 },
});

export const nodeChangeCounts = object('NodeChangeCounts', 'Number of nodes that differ.', {
  added: { type: 'integer', description: 'Added nodes.', example: 1 },
  removed: { type: 'integer', description: 'Removed nodes.', example: 0 },
  changed: { type: 'integer', description: 'Changed nodes.', example: 3 },
});

export const differenceSummary = object('DifferenceSummary', 'Totals over all pages.', {
  nodes: { type: nodeChangeCounts, description: 'Number of nodes that differ.' },
  pods: { type: podDifference, description: 'Number of pods that differ.' },
  workloads: { type: 'integer', description: 'Workloads whose pods differ.', example: 2 },
  tolerations: { type: 'integer', description: 'Differences of tolerations.', example: 0 },
  quotas: {
    type: 'integer',
    optional: true,
    description: 'Differing ResourceQuotas; null if a revision has no such kind.',
    example: 1,
  },
  budgets: {
    type: 'integer',
    optional: true,
    description: 'Differing PodDisruptionBudgets; null if a revision has no such kind.',
    example: 0,
  },
});

export const comparedRevision = object('ComparedRevision', 'The revision to compare with.', {
  revision: { type: 'integer', description: 'Revision number.', example: 6 },
  capturedAt: {
    type: 'time',
    description: 'Capture time of the state.',
    example: '2026-05-04T03:02:01.000Z',
  },
});

/** The members that REST and GraphQL have in common: all except the lists, because each pages in its own way. */
export const differenceHead = object(
  'DifferenceHead',
  '',
  {
    basis: { type: answerBasis, description: 'The revision `to`.' },
    from: { type: comparedRevision, description: 'The revision `from`.' },
    summary: { type: differenceSummary, description: 'Totals over all pages.' },
  },
  { restOnly: true },
);

/** The response in REST: a page of all lists. */
export const difference = object(
  'Difference',
  'Differences between two revisions.',
  {
    ...differenceHead.members,
    nodes: { type: nodeDifference, list: true, description: 'Nodes on this page that differ, by name.' },
    workloads: {
      type: workloadDifference,
      list: true,
      description: 'Workloads on this page whose pods differ, by namespace, kind and name, after all nodes.',
    },
    tolerations: {
      type: tolerationDifference,
      list: true,
      description: 'By namespace, kind and name, after all workloads.',
      example: [],
    },
    quotas: {
      type: quotaDifference,
      list: true,
      description: 'By namespace and name, after all tolerations.',
    },
    budgets: {
      type: budgetDifference,
      list: true,
      description: 'By namespace and name, after all quotas.',
      example: [],
    },
    continue: { type: 'identifier', optional: true, description: 'For the next page; null on the last one.' },
    remainingItemCount: {
      type: 'integer',
      description: 'Number of differences after this page.',
      example: 0,
    },
  },
  { restOnly: true },
);
