import type { ClusterState } from '../cluster/cluster-state.js';
import { NODE_POOL } from './label-requirements.js';
import { OWNER_KIND } from './machine-groups.js';
import type { GroupReason, NodeGroup } from './node-group.js';
import { shapeOfNodes, zonesOf } from './node-shape.js';
import { templateTaints } from './template-taints.js';

/** The labels by which EKS, GKE and AKS name the node group of a node. */
const LABELS = [
  'eks.amazonaws.com/nodegroup',
  'cloud.google.com/gke-nodepool',
  'kubernetes.azure.com/agentpool',
] as const;

const SIZE_UNKNOWN: GroupReason = {
  code: 'SizeUnknown',
  verdict: 'unknown',
  message: 'whether the node group may grow is set at the cloud provider, not in the cluster',
};

/**
 * The node groups of cloud providers that nodes of the cluster belong to. There is no object for them; the cluster autoscaler, too, takes a
 * node of the group that is ready as the template of new ones.
 *
 * Source: kubernetes/autoscaler, cluster-autoscaler-release-1.36, cluster-autoscaler/processors/nodeinfosprovider/mixed_nodeinfos_processor.go,
 * `Process`; cluster-autoscaler/simulator/node_info_utils.go, `SanitizedTemplateNodeInfoFromNodeInfo`.
 */
export function managedGroups(state: ClusterState): readonly NodeGroup[] {
  const byName = new Map<string, number[]>();
  const { nodes } = state;
  for (let index = 0; index < nodes.count; index++) {
    const labels = nodes.labels(index);
    const name = LABELS.map((key) => labels[key]).find((value) => value !== undefined && value !== '');
    // Those of Karpenter and of Cluster API have groups with objects.
    if (name === undefined || labels[NODE_POOL] !== undefined) continue;
    if (nodes.node(index).metadata.annotations?.[OWNER_KIND] !== undefined) continue;
    const members = byName.get(name);
    if (members === undefined) byName.set(name, [index]);
    else members.push(index);
  }
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, members]) => groupOf(name, members, state));
}

function groupOf(name: string, members: readonly number[], state: ClusterState): NodeGroup {
  const shape = shapeOfNodes(state, members);
  return {
    kind: 'ManagedNodeGroup',
    namespace: undefined,
    name,
    weight: undefined,
    karpenter: undefined,
    labels: shape?.labels ?? {},
    ...templateTaints(shape?.taints ?? []),
    requirements: undefined,
    limits: [],
    reasons: [SIZE_UNKNOWN],
    shapes: shape === undefined ? [] : [shape],
    otherZones: [],
    unseenLabels: [],
    offered: new Map(),
    zones: zonesOf(state, members),
  };
}
