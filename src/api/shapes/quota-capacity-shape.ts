import { ObjectType } from '@nestjs/graphql';
import { CAPACITY_HOLDS, type CapacityHolds } from '../../core/quota-capacity/namespace-capacity.js';
import { TolerationShape } from './pod-shape.js';
import type { Plain } from './plain.js';
import { Shown } from './property.js';
import { wordsType } from './property-type.js';
import { QuotaReviewNotJudgedShape } from './quota-review-shape.js';

export const HOLDS = wordsType(
  'QuotaCapacityHolds',
  'Whether a quota allows more than the nodes have that the pods can use, leaves more than is free on them, or neither.',
  CAPACITY_HOLDS,
);

const OF = wordsType('QuotaCapacityPods', 'New pods with what admission gives them, or pods that there are.', [
  'new',
  'stored',
]);

@ObjectType('QuotaCapacityGroup', { description: 'Pods of a namespace that tolerate the same.' })
export class QuotaCapacityGroupShape {
  @Shown({ type: OF, description: 'Which pods.', example: 'stored' })
  of!: string;

  @Shown({ type: 'integer', description: 'How many of them there are that have not ended.', example: 12 })
  pods!: number;

  @Shown({ type: () => TolerationShape, list: true, description: 'What they tolerate.' })
  tolerations!: readonly Plain<TolerationShape>[];

  @Shown({ type: 'labels', description: 'The node selector that admission gives to new pods.', example: {} })
  nodeSelector!: Readonly<Record<string, string>>;

  @Shown({ type: 'integer', description: 'How many nodes they can use.', example: 40 })
  nodes!: number;
}

@ObjectType('QuotaCapacityResource', { description: 'One resource of a quota beside the nodes.' })
export class QuotaCapacityResourceShape {
  @Shown({ type: 'string', description: 'The quota.', example: 'team-quota' })
  quota!: string;

  @Shown({ type: 'string', description: 'The resource.', example: 'requests.cpu' })
  resource!: string;

  @Shown({ type: 'string', description: 'What the quota allows.', example: '10' })
  hard!: string;

  @Shown({
    type: 'string',
    optional: true,
    description: 'What is used of it; null where that is not known.',
    example: '0',
  })
  used!: string | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'What it leaves; null where that is not known.',
    example: '10',
  })
  quotaFree!: string | null;

  @Shown({ type: 'string', description: 'What the nodes have.', example: '4' })
  allocatable!: string;

  @Shown({ type: 'string', description: 'What is free on them.', example: '4' })
  free!: string;

  @Shown({ type: HOLDS, description: 'How the two compare.', example: 'beyond' })
  holds!: CapacityHolds;

  @Shown({
    type: 'string',
    description: 'The same in words.',
    example: 'team-quota allows 10 requests.cpu, and the 1 nodes that its pods can use have 4',
  })
  text!: string;
}

@ObjectType('QuotaWaitingPods', { description: 'Pods that wait for a node, alike in what decides over where they go.' })
export class QuotaWaitingPodsShape {
  @Shown({ type: 'integer', description: 'How many.', example: 3 })
  pods!: number;

  @Shown({ type: 'string', description: 'One of them.', example: 'web-7' })
  example!: string;

  @Shown({ type: 'integer', description: 'Nodes that would take it now.', example: 0 })
  feasibleNodes!: number;

  @Shown({
    type: 'string',
    optional: true,
    description: "The scheduler's words; null where a node would take it, or where they are not certain.",
    example: '0/1 nodes are available: 1 Insufficient cpu.',
  })
  message!: string | null;
}

@ObjectType('QuotaCapacity', {
  description: 'What the quotas of a namespace allow, beside what the nodes hold that its pods can use.',
})
export class QuotaCapacityShape {
  @Shown({ type: 'string', description: 'The namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: HOLDS, description: 'The worst of its resources.', example: 'beyond' })
  holds!: CapacityHolds;

  @Shown({ type: 'integer', description: 'Nodes that its pods can use.', example: 1 })
  nodes!: number;

  @Shown({
    type: () => QuotaCapacityGroupShape,
    list: true,
    description: 'Its pods by tolerations; the first fifty groups.',
  })
  groups!: readonly Plain<QuotaCapacityGroupShape>[];

  @Shown({ type: () => QuotaCapacityResourceShape, list: true, description: 'The resources that nodes bound.' })
  resources!: readonly Plain<QuotaCapacityResourceShape>[];

  @Shown({ type: 'integer', description: 'How many of its pods wait for a node.', example: 0 })
  waiting!: number;

  @Shown({ type: () => QuotaWaitingPodsShape, list: true, description: 'The largest groups of them, and why.' })
  waitingPods!: readonly Plain<QuotaWaitingPodsShape>[];

  @Shown({
    type: 'string',
    optional: true,
    description: 'Why admission refuses every new pod; null where it does not.',
  })
  refusal!: string | null;

  @Shown({ type: () => QuotaReviewNotJudgedShape, list: true, description: 'Plugins whose part is not known.' })
  notJudged!: readonly Plain<QuotaReviewNotJudgedShape>[];
}

export const ASSUMPTIONS = {
  type: 'string',
  list: true,
  description: 'What the answer supposes, in words.',
  example: ['limits are not bounded by nodes, and are left out'],
} as const;
