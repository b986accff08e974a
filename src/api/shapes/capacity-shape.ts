import { ObjectType } from '@nestjs/graphql';
import { MOST_GROUP_LABELS } from '../../app/scheduling/find-capacity.js';
import type { Plain } from './plain.js';
import { Shown } from './property.js';
import { wordsType } from './property-type.js';
import { RefusalTextsShape } from './refusal-shape.js';
import { WorkloadNameShape } from './workload-name-shape.js';

const METHOD = wordsType(
  'CapacityMethod',
  'Node by node, since replicas do not mind each other; or placed one after another.',
  ['byNode', 'run'],
);
const GROUP_KIND = wordsType(
  'NodeGroupKind',
  'Nodes of a declared pool, with the same taints, or with the same value of a label.',
  ['pool', 'taints', 'label'],
);

export const GROUP_BY = {
  type: 'string',
  list: true,
  optional: true,
  maximumLength: MOST_GROUP_LABELS,
  description: `Keys of labels by whose values nodes are told of together, beside pools and taints; at most ${MOST_GROUP_LABELS}.`,
  example: ['topology.kubernetes.io/zone'],
} as const;

export const WITH_TAINTS = {
  type: 'boolean',
  optional: true,
  defaultsTo: false,
  description: 'Work out what the taints cost that the pod does not tolerate.',
  example: true,
} as const;

@ObjectType('CapacityPod', { description: 'The pod that is asked about.' })
export class CapacityPodShape {
  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'web' })
  name!: string;

  @Shown({ type: () => WorkloadNameShape, optional: true, description: 'Whose template it is.' })
  workload!: Plain<WorkloadNameShape> | null;

  @Shown({ type: 'json', description: 'What one requests, overhead included.', example: { cpu: '500m' } })
  requests!: unknown;
}

@ObjectType('NextReplica', { description: 'Why the next replica finds no node.' })
export class NextReplicaShape extends RefusalTextsShape {
  @Shown({ type: 'string', optional: true, description: 'What failed, where no node was chosen for that.' })
  error!: string | null;
}

@ObjectType('CapacityStop', { description: 'What the first filter says that refuses the next replica.' })
export class CapacityStopShape {
  @Shown({ type: 'string', description: 'The filter.', example: 'NodeResourcesFit' })
  plugin!: string;

  @Shown({ type: 'string', description: "Kubernetes' own words.", example: 'Insufficient cpu' })
  message!: string;
}

@ObjectType('CapacityGroupStop', { description: 'The same, on how many nodes.' })
export class CapacityGroupStopShape extends CapacityStopShape {
  @Shown({ type: 'integer', description: 'Nodes.', example: 1 })
  nodes!: number;
}

@ObjectType('CapacityGroup', { description: 'What fits into nodes that belong together.' })
export class CapacityGroupShape {
  @Shown({ type: GROUP_KIND, description: 'What they have in common.', example: 'taints' })
  kind!: string;

  @Shown({
    type: 'string',
    description: "The pool, the taints (`none` without any), or the label's value.",
    example: 'none',
  })
  name!: string;

  @Shown({ type: 'integer', description: 'Nodes.', example: 1 })
  nodes!: number;

  @Shown({ type: 'integer', description: 'Those that take a replica.', example: 1 })
  open!: number;

  @Shown({ type: 'integer', description: 'Replicas that fit.', example: 4 })
  replicas!: number;

  @Shown({
    type: () => CapacityGroupStopShape,
    list: true,
    description: 'What stops the next one there, most nodes first.',
  })
  stops!: readonly Plain<CapacityGroupStopShape>[];
}

@ObjectType('TaintRoom', { description: 'A resource of the nodes with a taint.' })
export class TaintRoomShape {
  @Shown({ type: 'string', description: 'The resource.', example: 'cpu' })
  resource!: string;

  @Shown({ type: 'string', description: 'What they have.', example: '4' })
  allocatable!: string;

  @Shown({ type: 'string', description: 'What of it no pod uses.', example: '4' })
  free!: string;
}

@ObjectType('TaintTolerationAdvice', { description: 'The narrowest toleration of a taint.' })
export class TaintTolerationAdviceShape {
  @Shown({ type: 'string', description: 'Its key.', example: 'dedicated' })
  key!: string;

  @Shown({ type: 'string', description: 'Its operator.', example: 'Equal' })
  operator!: string;

  @Shown({ type: 'string', description: 'Its value.', example: 'ml' })
  value!: string;

  @Shown({ type: 'string', description: 'Its effect.', example: 'NoSchedule' })
  effect!: string;
}

@ObjectType('TaintCost', { description: 'What a taint costs.' })
export class TaintCostShape {
  @Shown({ type: 'string', description: 'The taint.', example: 'dedicated=ml:NoSchedule' })
  taint!: string;

  @Shown({ type: 'integer', description: 'Nodes that carry it.', example: 1 })
  nodes!: number;

  @Shown({ type: 'integer', description: 'Pods there that tolerate it.', example: 0 })
  toleratingPods!: number;

  @Shown({ type: 'integer', description: 'Pods there that do not: they came before it.', example: 0 })
  otherPods!: number;

  @Shown({ type: () => TaintRoomShape, list: true, description: 'What these nodes have, and what nobody uses of it.' })
  resources!: readonly Plain<TaintRoomShape>[];

  @Shown({
    type: 'integer',
    description: 'Pending pods that find no node now and, each for itself, find one as soon as they tolerate it.',
    example: 0,
  })
  pendingHelped!: number;

  @Shown({
    type: 'integer',
    description: 'Replicas more that fit if the pod tolerates it, or if it is taken off all nodes.',
    example: 8,
  })
  frees!: number;

  @Shown({ type: 'boolean', description: 'False where the time was over before all were counted.', example: true })
  isCertain!: boolean;

  @Shown({ type: () => TaintTolerationAdviceShape, description: 'The toleration.' })
  toleration!: Plain<TaintTolerationAdviceShape>;
}

@ObjectType('TaintCosts', { description: 'What the taints cost that a pod does not tolerate.' })
export class TaintCostsShape {
  @Shown({ type: () => TaintCostShape, list: true, description: 'At most 16, the one that frees most first.' })
  costs!: readonly Plain<TaintCostShape>[];

  @Shown({ type: 'integer', description: 'Such taints in all.', example: 1 })
  candidates!: number;

  @Shown({
    type: 'integer',
    description: 'Pending pods that were not looked at, since they differ too much.',
    example: 0,
  })
  pendingOmitted!: number;
}

@ObjectType('NodeRoom', { description: 'How many replicas fit on a node.' })
export class NodeRoomShape {
  @Shown({ type: 'string', description: 'The node.', example: 'node-1' })
  node!: string;

  @Shown({ type: 'integer', description: 'Replicas.', example: 4 })
  replicas!: number;

  @Shown({ type: () => CapacityStopShape, list: true, description: 'What stops the next one there.' })
  stops!: readonly Plain<CapacityStopShape>[];
}

export const CAPACITY_HEAD = {
  pod: { type: () => CapacityPodShape, description: 'The pod.' },
  replicas: { type: 'integer', description: 'How many fit.', example: 4 },
  isComplete: { type: 'boolean', description: 'False where it was stopped before: more may fit.', example: true },
  method: { type: METHOD, description: 'How it was found; both are exact.', example: 'byNode' },
  next: {
    type: () => NextReplicaShape,
    optional: true,
    description: 'Why the next one finds no node; null where it was stopped before.',
  },
  groups: {
    type: () => CapacityGroupShape,
    list: true,
    description: 'Declared pools, nodes with the same taints, and values of the labels asked for; most room first.',
  },
  taints: { type: () => TaintCostsShape, optional: true, description: 'What taints cost; null unless asked for.' },
} as const;
