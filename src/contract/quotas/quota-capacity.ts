import { unplacedReason } from '../common/refusal.js';
import { object, enumType } from '../schema.js';
import { toleration } from '../pods/pod.js';
import { quotaReviewUndecidedPlugin } from './quota-review.js';
import { CAPACITY_HOLDS } from '../../core/quota-capacity/namespace-capacity.js';

export const HOLDS = enumType(
  'QuotaCapacityHolds',
  'Whether a quota allows more than the usable nodes have, leaves more than is free on them, or neither.',
  CAPACITY_HOLDS,
);

export const OF = enumType('QuotaCapacityPods', 'New pods with what admission adds to them, or existing pods.', [
  'new',
  'stored',
]);

export const quotaCapacityGroup = object('QuotaCapacityGroup', 'Pods of a namespace with the same tolerations.', {
  of: { type: OF, description: OF.description, example: 'stored' },
  pods: { type: 'integer', description: 'Number of existing pods that are not finished; 0 for new pods.', example: 12 },
  tolerations: { type: toleration, list: true, description: 'Tolerations of the pods.' },
  nodeSelector: {
    type: 'labels',
    description: 'Node selector that admission adds to new pods.',
    example: {},
  },
  nodes: { type: 'integer', description: 'Nodes that the pods can use.', example: 40 },
});

export const quotaCapacityResource = object('QuotaCapacityResource', 'A resource of a quota compared with the nodes.', {
  quota: { type: 'identifier', description: 'Quota name.', example: 'team-quota' },
  resource: { type: 'identifier', description: 'Resource name.', example: 'requests.cpu' },
  hard: { type: 'identifier', description: 'Limit of the quota.', example: '10' },
  used: {
    type: 'identifier',
    optional: true,
    description: 'Usage; null if unknown.',
    example: '0',
  },
  quotaFree: {
    type: 'identifier',
    optional: true,
    description: 'What the quota leaves; null if unknown.',
    example: '10',
  },
  allocatable: { type: 'identifier', description: 'Allocatable amount of the nodes.', example: '4' },
  free: { type: 'identifier', description: 'Free amount on the nodes.', example: '4' },
  holds: { type: HOLDS, description: HOLDS.description, example: 'beyond' },
  text: {
    type: 'string',
    description: 'The comparison as text.',
    example: 'team-quota allows 10 requests.cpu, and the 1 nodes that its pods can use have 4',
  },
});

export const quotaWaitingPods = object('QuotaWaitingPods', 'Pending pods that have the same scheduling constraints.', {
  pods: { type: 'integer', description: 'Number of pods.', example: 3 },
  example: { type: 'identifier', description: 'One of them.', example: 'web-7' },
  feasibleNodes: { type: 'integer', description: 'Nodes that can take such a pod now.', example: 0 },
  unknownNodes: {
    type: 'integer',
    description: 'Nodes of which that is not known; `reasons` say why.',
    example: 0,
  },
  message: {
    type: 'string',
    optional: true,
    description: 'Message of the scheduler; null if there is a feasible node, or if the message is uncertain.',
    example: '0/1 nodes are available: 1 Insufficient cpu.',
  },
  reasons: {
    type: unplacedReason,
    list: true,
    description: 'Why nodes cannot take such a pod, or may not; empty if some node can.',
  },
});

export const quotaCapacity = object(
  'QuotaCapacity',
  'What the quotas of a namespace allow, next to what is on the nodes that its pods can use.',
  {
    namespace: { type: 'identifier', description: 'Namespace name.', example: 'default' },
    holds: { type: HOLDS, description: 'The worst result of its resources.', example: 'beyond' },
    nodes: { type: 'integer', description: 'Nodes that its pods can use.', example: 1 },
    groups: {
      type: quotaCapacityGroup,
      list: true,
      description: 'Pods by tolerations; the first 50 groups.',
    },
    resources: { type: quotaCapacityResource, list: true, description: 'Resources that nodes limit.' },
    waiting: { type: 'integer', description: 'Number of pending pods.', example: 0 },
    waitingPods: {
      type: quotaWaitingPods,
      list: true,
      description: 'The largest groups of pending pods, and why they are pending.',
    },
    refusal: {
      type: 'string',
      optional: true,
      description: 'Why admission refuses every new pod; null if it does not.',
    },
    undecided: { type: quotaReviewUndecidedPlugin, list: true, description: 'Plugins with an unknown result.' },
  },
);

export const ASSUMPTIONS = {
  type: 'string',
  list: true,
  description: 'Assumptions behind the comparison.',
  example: ['nodes do not bound limits, so limits are omitted'],
} as const;
