import type { ClusterState } from '../cluster/cluster-state.js';
import { defined } from '../collections/defined.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { CSINode } from '../kubernetes/objects/storage.js';
import { templateOfNode } from '../scenario/node-template.js';
import { ZONE } from './label-requirements.js';
import type { NodeShape } from './node-group.js';
import { templateTaints } from './template-taints.js';

/** What a node shows of the machines of its group; undefined for one that is not ready, which may not report all that it has. */
export function shapeOfNode(state: ClusterState, index: number): NodeShape | undefined {
  const node = state.nodes.node(index);
  const { name } = node.metadata;
  if (node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status !== 'True') === true) {
    return undefined;
  }
  const { metadata, spec, status = {} } = templateOfNode(node);
  return {
    source: 'node',
    like: name,
    labels: metadata.labels ?? {},
    taints: spec?.taints ?? [],
    status: machineOf(status),
    csiNode: state.find('CSINode', undefined, name) as CSINode | undefined,
  };
}

/**
 * The node of a group that the autoscaler makes its template of, which it prefers to annotations: the first by name that is ready, and
 * one that has finished starting and is not cordoned if there is one.
 */
export function shapeOfNodes(state: ClusterState, members: readonly number[]): NodeShape | undefined {
  let other: NodeShape | undefined;
  for (const index of members) {
    const shape = shapeOfNode(state, index);
    if (shape === undefined) continue;
    const isCordoned = state.nodes.node(index).spec?.unschedulable === true;
    if (!isCordoned && templateTaints(shape.taints).startupTaints.length === 0) return shape;
    other ??= shape;
  }
  return other;
}

/** A new machine has pulled no images. */
function machineOf({
  capacity,
  allocatable,
  declaredFeatures,
  nodeInfo,
}: NonNullable<Node['status']>): NodeShape['status'] {
  return defined({ capacity, allocatable, declaredFeatures, nodeInfo });
}

/** The zones of nodes, sorted. */
export function zonesOf({ nodes }: ClusterState, members: Iterable<number>): readonly string[] {
  const zones = new Set<string>();
  for (const index of members) {
    const zone = nodes.labels(index)[ZONE];
    if (zone !== undefined) zones.add(zone);
  }
  return [...zones].sort();
}
