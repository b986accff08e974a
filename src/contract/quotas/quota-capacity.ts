import { object, enumType } from '../schema.js';
import { toleration } from '../pods/pod.js';
import { quotaReviewNotJudged } from './quota-review.js';
import { CAPACITY_HOLDS } from '../../core/quota-capacity/namespace-capacity.js';

export const HOLDS = enumType(
  'QuotaCapacityHolds',
  'Whether a quota allows more than the nodes have that the pods can use, leaves more than is free on them, or neither.',
  CAPACITY_HOLDS,
);

export const OF = enumType('QuotaCapacityPods', 'New pods with what admission gives them, or pods that there are.', [
  'new',
  'stored',
]);

export const quotaCapacityGroup = object('QuotaCapacityGroup', 'Pods of a namespace that tolerate the same.', {
  of: { type: OF, description: 'Which pods.', example: 'stored' },
  pods: { type: 'integer', description: 'How many of them there are that have not ended.', example: 12 },
  tolerations: { type: toleration, list: true, description: 'What they tolerate.' },
  nodeSelector: { type: 'labels', description: 'The node selector that admission gives to new pods.', example: {} },
  nodes: { type: 'integer', description: 'How many nodes they can use.', example: 40 },
});

export const quotaCapacityResource = object('QuotaCapacityResource', 'One resource of a quota beside the nodes.', {
  quota: { type: 'string', description: 'The quota.', example: 'team-quota' },
  resource: { type: 'string', description: 'The resource.', example: 'requests.cpu' },
  hard: { type: 'string', description: 'What the quota allows.', example: '10' },
  used: {
    type: 'string',
    optional: true,
    description: 'What is used of it; null where that is not known.',
    example: '0',
  },
  quotaFree: {
    type: 'string',
    optional: true,
    description: 'What it leaves; null where that is not known.',
    example: '10',
  },
  allocatable: { type: 'string', description: 'What the nodes have.', example: '4' },
  free: { type: 'string', description: 'What is free on them.', example: '4' },
  holds: { type: HOLDS, description: 'How the two compare.', example: 'beyond' },
  text: {
    type: 'string',
    description: 'The same in words.',
    example: 'team-quota allows 10 requests.cpu, and the 1 nodes that its pods can use have 4',
  },
});

export const quotaWaitingPods = object(
  'QuotaWaitingPods',
  'Pods that wait for a node, alike in what decides over where they go.',
  {
    pods: { type: 'integer', description: 'How many.', example: 3 },
    example: { type: 'string', description: 'One of them.', example: 'web-7' },
    feasibleNodes: { type: 'integer', description: 'Nodes that would take it now.', example: 0 },
    message: {
      type: 'string',
      optional: true,
      description: "The scheduler's words; null where a node would take it, or where they are not certain.",
      example: '0/1 nodes are available: 1 Insufficient cpu.',
    },
  },
);

export const quotaCapacity = object(
  'QuotaCapacity',
  'What the quotas of a namespace allow, beside what the nodes hold that its pods can use.',
  {
    namespace: { type: 'string', description: 'The namespace.', example: 'default' },
    holds: { type: HOLDS, description: 'The worst of its resources.', example: 'beyond' },
    nodes: { type: 'integer', description: 'Nodes that its pods can use.', example: 1 },
    groups: {
      type: quotaCapacityGroup,
      list: true,
      description: 'Its pods by tolerations; the first fifty groups.',
    },
    resources: { type: quotaCapacityResource, list: true, description: 'The resources that nodes bound.' },
    waiting: { type: 'integer', description: 'How many of its pods wait for a node.', example: 0 },
    waitingPods: { type: quotaWaitingPods, list: true, description: 'The largest groups of them, and why.' },
    refusal: {
      type: 'string',
      optional: true,
      description: 'Why admission refuses every new pod; null where it does not.',
    },
    notJudged: { type: quotaReviewNotJudged, list: true, description: 'Plugins whose part is not known.' },
  },
);

export const ASSUMPTIONS = {
  type: 'string',
  list: true,
  description: 'What the answer supposes, in words.',
  example: ['limits are not bounded by nodes, and are left out'],
} as const;
