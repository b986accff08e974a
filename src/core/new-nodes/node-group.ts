import type { LabelRequirements } from './label-requirements.js';
import type { Labels, ResourceList } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { CSINode } from '../kubernetes/objects/storage.js';
import type { Taint } from '../kubernetes/objects/taints.js';

/** Kinds of objects that new nodes come from. */
export const GROUP_OBJECTS = [
  'NodePool',
  'MachineDeployment',
  'MachineSet',
  'MachinePool',
  'OpenShiftMachineSet',
] as const;
export const GROUP_KINDS = [...GROUP_OBJECTS, 'ManagedNodeGroup'] as const;

/**
 * A source of new nodes: a NodePool of Karpenter, machines of Cluster API or OpenShift that the cluster autoscaler scales, or a node group
 * of a cloud provider.
 */
export interface NodeGroup {
  readonly kind: (typeof GROUP_KINDS)[number];
  /** Undefined for NodePools and node groups of cloud providers. */
  readonly namespace: string | undefined;
  readonly name: string;
  /** Karpenter tries the NodePool with the greatest weight first; undefined for all others. */
  readonly weight: number | undefined;
  /** The minor version of Karpenter 1; undefined if nothing stored shows it, and for all others. */
  readonly karpenter: number | undefined;
  readonly labels: Labels;
  /** Labels of new nodes that the cluster autoscaler knows only if it has seen a node of the group. */
  readonly unseenLabels: readonly string[];
  readonly taints: readonly Taint[];
  /** Those that go before pods come: whoever adds the node does not count them. */
  readonly startupTaints: readonly Taint[];
  /** Those of them that the cluster autoscaler may count. */
  readonly undeclaredTaints: readonly Taint[];
  /** What the labels of a new node may be; undefined if all of them are known. */
  readonly requirements: LabelRequirements | undefined;
  readonly limits: readonly GroupLimit[];
  /** What keeps the group from growing, or makes that uncertain, whatever the pod. */
  readonly reasons: readonly GroupReason[];
  readonly shapes: readonly NodeShape[];
  /** Zones in which new nodes can be, as nodes of the group show, if the labels and requirements do not say it. */
  readonly zones: readonly string[];
  /** Zones of other nodes, in which new nodes may be, too; of a NodePool only. */
  readonly otherZones: readonly string[];
  /** Of a NodePool: the values of labels of offerings, such as the region, that are known to be there. */
  readonly offered: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What a machine of a group looks like, as far as something in the cluster shows it. */
export interface NodeShape {
  readonly source: ShapeSource;
  /** The node or NodeClaim that shows it; undefined for annotations. */
  readonly like: string | undefined;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly status: NonNullable<Node['status']>;
  readonly csiNode: CSINode | undefined;
}

export const SHAPE_SOURCES = ['node', 'nodeOfAnotherGroup', 'nodeClaim', 'annotations'] as const;
export type ShapeSource = (typeof SHAPE_SOURCES)[number];

export interface GroupLimit {
  readonly resource: string;
  readonly limit: string;
  readonly used: string;
}

export const GROUP_REASON_CODES = [
  'LabelsUnknown',
  'LimitReached',
  'NotReady',
  'BeingDeleted',
  'DaemonOverhead',
  'PodIgnored',
  'PriorityTooLow',
  'StaticSize',
  'SizeAtMaximum',
  'SizeInvalid',
  'NotAutoscaled',
  'SizeUnknown',
  'TooFewValues',
  'InstanceTypeTooSmall',
  'InstanceTypeUnknown',
  'ZoneUnknown',
  'DevicesIgnored',
  'DevicesUnknown',
  'StartupTaintUnknown',
] as const;

/** Why a group makes no node for the pod, or why that is not known, besides what the filters say of the node. */
export interface GroupReason {
  readonly code: (typeof GROUP_REASON_CODES)[number];
  readonly verdict: 'infeasible' | 'unknown';
  readonly message: string;
}

/** The capacity of a machine, or what it is at least. */
export const capacityOf = ({ status }: NodeShape): ResourceList => status.capacity ?? status.allocatable ?? {};
