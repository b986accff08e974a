import { GROUP_KINDS, GROUP_REASON_CODES, SHAPE_SOURCES } from '../../core/new-nodes/node-group.js';
import { enumType, object } from '../schema.js';
import { VERDICT } from './placement-request.js';
import { placementTaint } from './placement-taint.js';
import { placementReason } from './reason.js';

export const NEW_NODE_GROUP_KIND = enumType('NewNodeGroupKind', 'What new nodes come from.', GROUP_KINDS);

export const NEW_NODE_GROUP_REASON_CODE = enumType(
  'NewNodeGroupReasonCode',
  'Why a group makes no node for the pod, or what is not known of its nodes.',
  GROUP_REASON_CODES,
);

export const MACHINE_SOURCE = enumType('NewNodeMachineSource', 'What shows the resources of a machine.', SHAPE_SOURCES);

const nodeGroupReason = object('NewNodeGroupReason', 'A reason that lies in the group, not in what a node of it is.', {
  code: {
    type: NEW_NODE_GROUP_REASON_CODE,
    description: NEW_NODE_GROUP_REASON_CODE.description,
    example: 'LimitReached',
  },
  verdict: {
    type: VERDICT,
    description: '`infeasible` if the group makes no node for the pod, `unknown` if that is not known.',
    example: 'infeasible',
  },
  message: {
    type: 'string',
    description: 'The reason in words.',
    example: 'the NodePool has 64 of at most 64 cpu',
  },
});

const nodeGroupLimit = object('NewNodeGroupLimit', 'How far a group may grow.', {
  resource: { type: 'identifier', description: 'The resource; `nodes` is the number of nodes.', example: 'cpu' },
  limit: { type: 'identifier', description: 'The limit.', example: '64' },
  used: { type: 'identifier', description: 'What its nodes, and those that are starting, have.', example: '48' },
});

const startupTaint = object(
  'NewNodeStartupTaint',
  'A taint that a new node has until it has started. It does not keep the group from making the node, unless `groupReasons` says so.',
  {
    taint: { type: placementTaint, description: 'The taint.' },
    tolerated: {
      type: 'boolean',
      description: 'Whether the pod tolerates it; if not, it waits until the taint is gone.',
      example: false,
    },
    removedBy: {
      type: 'identifier',
      optional: true,
      description: 'What removes the taint, and when; null if that is not known.',
      example: 'Karpenter, once the node is registered',
    },
  },
);

const nodeShape = object('NewNodeMachine', 'The machine that the verdict is about.', {
  source: { type: MACHINE_SOURCE, description: MACHINE_SOURCE.description, example: 'node' },
  like: {
    type: 'identifier',
    optional: true,
    description: 'The node or NodeClaim that shows it; null for annotations.',
    example: 'node-1',
  },
  instanceType: {
    type: 'identifier',
    optional: true,
    description: 'Its instance type, if known.',
    example: 'm6i.large',
  },
  allocatable: {
    type: 'labels',
    description: 'What pods can have of it.',
    example: { cpu: '1930m', memory: '7Gi', pods: '29' },
  },
});

const newNode = object('NewNode', 'Whether a new node of one group would take the pod.', {
  kind: { type: NEW_NODE_GROUP_KIND, description: NEW_NODE_GROUP_KIND.description, example: 'NodePool' },
  namespace: {
    type: 'identifier',
    optional: true,
    description: 'Its namespace; null for a NodePool and a node group of a cloud provider.',
    example: null,
  },
  name: { type: 'identifier', description: 'Its name.', example: 'general' },
  weight: {
    type: 'integer',
    optional: true,
    description: 'The weight of a NodePool; null for other kinds.',
    example: 0,
  },
  verdict: {
    type: VERDICT,
    description: 'Whether the group would make a node that takes the pod once its startup taints are gone.',
    example: 'feasible',
  },
  groupReasons: {
    type: nodeGroupReason,
    list: true,
    description: 'Why the group makes no node for the pod, and what is not known of its nodes.',
    example: [],
  },
  firstFail: {
    type: 'identifier',
    optional: true,
    description: 'The first filter that refuses the node; null if none does.',
    example: null,
  },
  reasons: {
    type: placementReason,
    list: true,
    description:
      'What the filters of the scheduler say of a new node, as of a node that is there: of the machine and zone that come closest.',
    example: [],
  },
  untoleratedTaints: {
    type: placementTaint,
    list: true,
    description: 'Every NoSchedule and NoExecute taint that the node keeps and that the pod does not tolerate.',
    example: [],
  },
  startupTaints: {
    type: startupTaint,
    list: true,
    description: 'The taints of a new node besides those that every node has until its kubelet is ready.',
  },
  machine: {
    type: nodeShape,
    optional: true,
    description: 'The machine that the verdict is about; null if nothing in the cluster shows one.',
  },
  zone: {
    type: 'identifier',
    optional: true,
    description: 'The zone that the verdict is about, if known.',
    example: 'a',
  },
  daemonPods: {
    type: 'integer',
    description: 'Number of pods that DaemonSets create on the node; the verdict counts them, and static pods.',
    example: 2,
  },
  daemonRequests: {
    type: 'labels',
    description: 'What these pods request in all.',
    example: { cpu: '150m', memory: '300Mi' },
  },
  limits: { type: nodeGroupLimit, list: true, description: 'How far the group may grow.' },
});

export const newNodes = object(
  'NewNodes',
  'Whether new nodes would take the pod, group by group: NodePools as Karpenter tries them, then machines of Cluster API and OpenShift, then node groups of cloud providers.',
  {
    groups: { type: newNode, list: true, description: 'The groups.' },
    notLoaded: {
      type: 'identifier',
      list: true,
      description: 'Kinds of groups that no snapshot has contained.',
      example: ['MachineDeployment', 'MachineSet', 'MachinePool'],
    },
  },
);
