import { object, enumType } from '../schema.js';
import { workloadName } from '../common/workload-name.js';
import { NODE_GROUP } from '../common/group.js';
import { refusalTexts } from '../common/refusal.js';
import { MAX_GROUP_LABELS } from '../limits.js';

export const METHOD = enumType(
  'CapacityMethod',
  '`byNode`: each node is counted separately, since replicas do not affect one another. `run`: replicas are placed one after another.',
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
  maximumLength: MAX_GROUP_LABELS,
  description: `Label keys to group nodes by, in addition to pools and taints; at most ${MAX_GROUP_LABELS}.`,
  example: ['topology.kubernetes.io/zone'],
} as const;

export const WITH_TAINTS = {
  type: 'boolean',
  optional: true,
  defaultsTo: false,
  description: 'Compute the cost of the taints that the pod does not tolerate.',
  example: true,
} as const;

export const capacityPod = object('CapacityPod', 'The pod whose replicas are counted.', {
  namespace: { type: 'identifier', description: 'Pod namespace.', example: 'default' },
  name: { type: 'identifier', description: 'Pod name.', example: 'web' },
  workload: { type: workloadName, optional: true, description: 'Workload whose template the pod comes from.' },
  requests: { type: 'labels', description: 'Requests of one replica, including overhead.', example: { cpu: '500m' } },
});

export const nextReplica = object('NextReplica', 'Why no node is found for the next replica.', {
  ...refusalTexts.members,
  error: { type: 'string', optional: true, description: 'Error that prevented the choice of a node.' },
});

export const capacityStop = object('CapacityStop', 'The first filter that refuses the next replica, and its message.', {
  plugin: { type: 'identifier', description: 'The filter.', example: 'NodeResourcesFit' },
  message: { type: 'string', description: 'The Kubernetes message.', example: 'Insufficient cpu' },
});

export const capacityGroupStop = object(
  'CapacityGroupStop',
  'A filter that refuses the next replica, with the number of nodes.',
  {
    ...capacityStop.members,
    nodes: {
      type: 'integer',
      description: 'Nodes on which the filter refuses the next replica.',
      example: 1,
    },
  },
);

export const capacityGroup = object('CapacityGroup', 'The capacity of a group of nodes.', {
  kind: { type: GROUP_KIND, description: 'What the nodes have in common.', example: 'taints' },
  name: {
    type: 'string',
    description: 'The pool, the taints (`none` if there are none), or the label value.',
    example: 'none',
  },
  nodes: { type: 'integer', description: 'Number of nodes.', example: 1 },
  open: { type: 'integer', description: 'Number of these nodes that can take a replica.', example: 1 },
  replicas: { type: 'integer', description: 'Number of replicas that fit.', example: 4 },
  stops: {
    type: capacityGroupStop,
    list: true,
    description: 'What stops the next replica, most nodes first.',
  },
});

export const taintRoom = object('TaintRoom', 'A resource of the nodes with a taint.', {
  resource: { type: 'identifier', description: 'The resource.', example: 'cpu' },
  allocatable: { type: 'identifier', description: 'Allocatable amount of the nodes.', example: '4' },
  free: { type: 'identifier', description: 'Amount that no pod uses.', example: '4' },
});

export const taintTolerationAdvice = object('TaintTolerationAdvice', 'The narrowest toleration of a taint.', {
  key: { type: 'identifier', description: 'Toleration key.', example: 'dedicated' },
  operator: { type: 'identifier', description: 'Toleration operator.', example: 'Equal' },
  value: { type: 'string', taintValue: true, description: 'Toleration value.', example: 'ml' },
  effect: { type: 'identifier', description: 'Toleration effect.', example: 'NoSchedule' },
});

export const taintCost = object('TaintCost', 'The cost of a taint.', {
  taint: { type: 'string', description: 'The taint.', example: 'dedicated=ml:NoSchedule' },
  nodes: { type: 'integer', description: 'Number of nodes with this taint.', example: 1 },
  toleratingPods: { type: 'integer', description: 'Number of pods on these nodes that tolerate it.', example: 0 },
  otherPods: {
    type: 'integer',
    description: 'Number of pods on these nodes that do not tolerate it.',
    example: 0,
  },
  resources: { type: taintRoom, list: true, description: 'Allocatable and free amounts of these nodes, by resource.' },
  pendingHelped: {
    type: 'integer',
    description:
      'Number of pending pods that find no node now but would, each on its own, if they tolerated the taint.',
    example: 0,
  },
  frees: {
    type: 'integer',
    description: 'Number of additional replicas that fit if the pod tolerates the taint, or if no node has it.',
    example: 8,
  },
  isCertain: {
    type: 'boolean',
    description: 'False if not all replicas were counted: the time budget ran out, or a verdict is unknown.',
    example: true,
  },
  toleration: { type: taintTolerationAdvice, description: 'The toleration to add.' },
});

export const taintCosts = object('TaintCosts', 'The cost of the taints that a pod does not tolerate.', {
  costs: { type: taintCost, list: true, description: 'At most 16 taints, those that free the most replicas first.' },
  candidates: {
    type: 'integer',
    description: 'Number of all taints that the pod does not tolerate.',
    example: 1,
  },
  pendingOmitted: {
    type: 'integer',
    description: 'Number of pending pods that were not evaluated because they are too diverse.',
    example: 0,
  },
});

export const nodeRoom = object('NodeRoom', 'The number of replicas that fit on a node.', {
  node: { type: 'identifier', description: 'The node.', example: 'node-1' },
  replicas: { type: 'integer', description: 'Number of replicas.', example: 4 },
  stops: { type: capacityStop, list: true, description: 'What stops the next replica on the node.' },
});

export const roomGroup = object('RoomGroup', 'Nodes on which the same filters stop the next replica.', {
  ...NODE_GROUP,
  totalReplicas: { type: 'integer', description: 'Number of replicas that fit on all of these nodes.', example: 4 },
  replicas: {
    type: 'integer',
    optional: true,
    description: 'Number of replicas on each node; null if it differs, then `columns` has the values.',
    example: 4,
  },
  stops: nodeRoom.members.stops,
});

export const CAPACITY_HEAD = {
  pod: { type: capacityPod, description: 'The pod.' },
  replicas: { type: 'integer', description: 'Number of replicas that fit.', example: 4 },
  isComplete: {
    type: 'boolean',
    description:
      'False if more replicas may fit: the run was stopped early, or a verdict is unknown; `next` then has the reasons.',
    example: true,
  },
  method: { type: METHOD, description: 'How the number was found; both methods are exact.', example: 'byNode' },
  next: {
    type: nextReplica,
    optional: true,
    description: 'Why no node is found for the next replica; null if the run was stopped early.',
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
          note: null,
          taints: [],
        },
      ],
      error: null,
    },
  },
  breakdown: {
    type: capacityGroup,
    list: true,
    description:
      'The capacity by declared pool, by taints, and by values of the requested labels; most replicas first.',
  },
  taints: { type: taintCosts, optional: true, description: 'The cost of taints; null unless requested.' },
} as const;
