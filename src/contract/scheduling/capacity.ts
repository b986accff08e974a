import { object, enumType } from '../schema.js';
import { workloadName } from '../common/workload-name.js';
import { NODE_GROUP } from '../common/group.js';
import { refusalTexts } from '../common/refusal.js';
import { MOST_GROUP_LABELS } from '../limits.js';

export const METHOD = enumType(
  'CapacityMethod',
  'Node by node, since replicas do not mind each other; or placed one after another.',
  ['byNode', 'run'],
);

export const GROUP_KIND = enumType(
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

export const capacityPod = object('CapacityPod', 'The pod that is asked about.', {
  namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
  name: { type: 'string', description: 'Its name.', example: 'web' },
  workload: { type: workloadName, optional: true, description: 'Whose template it is.' },
  requests: { type: 'labels', description: 'What one requests, overhead included.', example: { cpu: '500m' } },
});

export const nextReplica = object('NextReplica', 'Why the next replica finds no node.', {
  ...refusalTexts.members,
  error: { type: 'string', optional: true, description: 'What failed, where no node was chosen for that.' },
});

export const capacityStop = object('CapacityStop', 'What the first filter says that refuses the next replica.', {
  plugin: { type: 'string', description: 'The filter.', example: 'NodeResourcesFit' },
  message: { type: 'string', description: "Kubernetes' own words.", example: 'Insufficient cpu' },
});

export const capacityGroupStop = object('CapacityGroupStop', 'The same, on how many nodes.', {
  ...capacityStop.members,
  nodes: { type: 'integer', description: 'Nodes.', example: 1 },
});

export const capacityGroup = object('CapacityGroup', 'What fits into nodes that belong together.', {
  kind: { type: GROUP_KIND, description: 'What they have in common.', example: 'taints' },
  name: {
    type: 'string',
    description: "The pool, the taints (`none` without any), or the label's value.",
    example: 'none',
  },
  nodes: { type: 'integer', description: 'Nodes.', example: 1 },
  open: { type: 'integer', description: 'Those that take a replica.', example: 1 },
  replicas: { type: 'integer', description: 'Replicas that fit.', example: 4 },
  stops: {
    type: capacityGroupStop,
    list: true,
    description: 'What stops the next one there, most nodes first.',
  },
});

export const taintRoom = object('TaintRoom', 'A resource of the nodes with a taint.', {
  resource: { type: 'string', description: 'The resource.', example: 'cpu' },
  allocatable: { type: 'string', description: 'What they have.', example: '4' },
  free: { type: 'string', description: 'What of it no pod uses.', example: '4' },
});

export const taintTolerationAdvice = object('TaintTolerationAdvice', 'The narrowest toleration of a taint.', {
  key: { type: 'string', description: 'Its key.', example: 'dedicated' },
  operator: { type: 'string', description: 'Its operator.', example: 'Equal' },
  value: { type: 'string', description: 'Its value.', example: 'ml' },
  effect: { type: 'string', description: 'Its effect.', example: 'NoSchedule' },
});

export const taintCost = object('TaintCost', 'What a taint costs.', {
  taint: { type: 'string', description: 'The taint.', example: 'dedicated=ml:NoSchedule' },
  nodes: { type: 'integer', description: 'Nodes that carry it.', example: 1 },
  toleratingPods: { type: 'integer', description: 'Pods there that tolerate it.', example: 0 },
  otherPods: { type: 'integer', description: 'Pods there that do not: they came before it.', example: 0 },
  resources: { type: taintRoom, list: true, description: 'What these nodes have, and what nobody uses of it.' },
  pendingHelped: {
    type: 'integer',
    description: 'Pending pods that find no node now and, each for itself, find one as soon as they tolerate it.',
    example: 0,
  },
  frees: {
    type: 'integer',
    description: 'Replicas more that fit if the pod tolerates it, or if it is taken off all nodes.',
    example: 8,
  },
  isCertain: { type: 'boolean', description: 'False where the time was over before all were counted.', example: true },
  toleration: { type: taintTolerationAdvice, description: 'The toleration.' },
});

export const taintCosts = object('TaintCosts', 'What the taints cost that a pod does not tolerate.', {
  costs: { type: taintCost, list: true, description: 'At most 16, the one that frees most first.' },
  candidates: { type: 'integer', description: 'Such taints in all.', example: 1 },
  pendingOmitted: {
    type: 'integer',
    description: 'Pending pods that were not looked at, since they differ too much.',
    example: 0,
  },
});

export const nodeRoom = object('NodeRoom', 'How many replicas fit on a node.', {
  node: { type: 'string', description: 'The node.', example: 'node-1' },
  replicas: { type: 'integer', description: 'Replicas.', example: 4 },
  stops: { type: capacityStop, list: true, description: 'What stops the next one there.' },
});

export const roomGroup = object('RoomGroup', 'Nodes on which the next replica is stopped by the same.', {
  ...NODE_GROUP,
  totalReplicas: { type: 'integer', description: 'Replicas that fit on all of them.', example: 4 },
  replicas: {
    type: 'integer',
    optional: true,
    description: 'Replicas on each; null where they differ: `columns` has them.',
    example: 4,
  },
  stops: nodeRoom.members.stops,
});

export const CAPACITY_HEAD = {
  pod: { type: capacityPod, description: 'The pod.' },
  replicas: { type: 'integer', description: 'How many fit.', example: 4 },
  isComplete: { type: 'boolean', description: 'False where it was stopped before: more may fit.', example: true },
  method: { type: METHOD, description: 'How it was found; both are exact.', example: 'byNode' },
  next: {
    type: nextReplica,
    optional: true,
    description: 'Why the next one finds no node; null where it was stopped before.',
    example: {
      message: '0/1 nodes are available: 1 Insufficient cpu.',
      preemption: 'notEvaluated',
      reasons: [
        {
          plugin: 'NodeResourcesFit',
          code: 'InsufficientResource',
          message: 'Insufficient cpu',
          nodes: 1,
          first: 1,
          taints: [],
        },
      ],
      error: null,
    },
  },
  breakdown: {
    type: capacityGroup,
    list: true,
    description: 'Declared pools, nodes with the same taints, and values of the labels asked for; most room first.',
  },
  taints: { type: taintCosts, optional: true, description: 'What taints cost; null unless asked for.' },
} as const;
