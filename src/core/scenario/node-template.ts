import type { ClusterState } from '../cluster/cluster-state.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import { defined } from '../collections/defined.js';
import { decodeObject } from '../kubernetes/decode.js';
import { isAbsent, onlyItem, withName } from '../admission/read-pod-manifest.js';
import { notSupported } from '../kubernetes/field-error.js';
import { FieldPath } from '../kubernetes/field-path.js';
import type { JsonObject } from '../json/json-value.js';
import type { ResourceSlice } from '../kubernetes/objects/dra.js';
import type { Node, NodeMeta, NodeSpec, NodeStatus } from '../kubernetes/objects/node.js';
import type { CSINode } from '../kubernetes/objects/storage.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { validateNode, type NodeManifest } from '../kubernetes/validation/node.js';
import { withUnschedulableTaint } from '../taint-change/unschedulable-taint.js';
import type { ScenarioFaults } from './scenario-fault.js';
import { without } from '../collections/without.js';

/**
 * Taints that show the condition of a single node, not of its pool. The cluster autoscaler excludes the same taints from its
 * templates.
 *
 * Source: k8s.io/autoscaler, cluster-autoscaler/utils/taints, `NodeConditionTaints` and its own taints.
 */
const OF_ONE_NODE: ReadonlySet<string> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/unschedulable',
  'node.kubernetes.io/memory-pressure',
  'node.kubernetes.io/disk-pressure',
  'node.kubernetes.io/pid-pressure',
  'node.kubernetes.io/network-unavailable',
  'node.kubernetes.io/out-of-service',
  'node.cloudprovider.kubernetes.io/uninitialized',
  'node.cloudprovider.kubernetes.io/shutdown',
  'ToBeDeletedByClusterAutoscaler',
  'DeletionCandidateOfClusterAutoscaler',
]);

const READY = { type: 'Ready', status: 'True' } as const;
const HOSTNAME = 'kubernetes.io/hostname';

/**
 * A node as a template for others of its pool: without UID, times, cordon, taints of its condition, provider ID, addresses and
 * volumes.
 */
export function templateOfNode({ apiVersion, metadata, spec, status }: Node): Node {
  const { labels, annotations } = metadata;
  const taints = (spec?.taints ?? []).filter(({ key }) => !OF_ONE_NODE.has(key)).map(withoutTime);
  return ready({
    apiVersion,
    kind: 'Node',
    metadata: {
      name: metadata.name,
      ...defined({ labels, annotations }),
    },
    spec: taints.length === 0 ? {} : { taints },
    ...(status === undefined ? {} : { status: withoutVolumes(status) }),
  });
}

/**
 * A template from the manifest of a node, as the API server would accept it and as its kubelet would report it: ready, and
 * with allocatable equal to capacity unless it is given. The manifest does not need a name.
 */
export function templateOfManifest(
  given: JsonObject,
  at: FieldPath,
  faults: ScenarioFaults,
  rules: KubernetesRules,
): { readonly node: Node; readonly isNamed: boolean } | undefined {
  const { value, pointer } = onlyItem(given, '');
  const isBare = isAbsent(value, 'apiVersion') && isAbsent(value, 'kind');
  const options = { minor: rules.minor, ...(isBare ? { apiVersion: 'v1', kind: 'Node' } : {}) };
  const decoded = decodeObject(withName(value), { ...options, whole: true });
  const kind = decoded.outcome === 'object' ? decoded.object.kind : decoded.kind;
  if (decoded.outcome === 'ignored' || (kind !== undefined && kind !== 'Node')) {
    faults.addOfObject(at, [notSupported(FieldPath.of('kind'), kind ?? '', ['Node'])], pointer);
    return undefined;
  }
  const errors =
    decoded.outcome === 'object' ? validateNode(decoded.object as NodeManifest, rules) : [...decoded.errors];
  faults.addOfObject(at, errors, pointer);
  if (errors.length > 0) return undefined;
  const kept = decodeObject(withName(value), options);
  if (kept.outcome !== 'object') return undefined;
  const node = kept.object as Node;
  const { name, labels, annotations } = node.metadata;
  return {
    node: ready({
      ...node,
      metadata: {
        name,
        ...defined({ labels, annotations }),
      },
      spec: specOf(node.spec ?? {}),
      status: withAllocatable(withoutVolumes(node.status ?? {})),
    }),
    isNamed: !isAbsent((value['metadata'] ?? {}) as JsonObject, 'name'),
  };
}

/**
 * A node from a template under its own name, which is also its hostname. A node that keeps the template's name keeps its
 * hostname.
 */
export function namedNode(template: Node, name: string): Node {
  const { name: former, labels = {} } = template.metadata;
  const metadata: NodeMeta = { ...template.metadata, name };
  if (name === former && Object.hasOwn(labels, HOSTNAME)) return { ...template, metadata };
  return { ...template, metadata: { ...metadata, labels: { ...labels, [HOSTNAME]: name } } };
}

/** The CSINode for a new node of the same pool: with the same drivers, and without attached volumes. */
export function namedCsiNode(csiNode: CSINode, name: string): CSINode {
  const { apiVersion, kind, spec } = csiNode;
  return {
    apiVersion,
    kind,
    metadata: { name },
    ...(spec === undefined
      ? {}
      : {
          spec: {
            ...spec,
            ...(spec.drivers && { drivers: spec.drivers.map((driver) => ({ ...driver, nodeID: name })) }),
          },
        }),
  };
}

/**
 * The ResourceSlices of a node that others like it have, too: those of pools that belong to it alone. `isShared`: other pools have devices
 * that only this node can use, and of which it is not known what a new node has of them.
 */
export function slicesToCopy(
  state: ClusterState,
  nodeName: string,
): { readonly copied: readonly ResourceSlice[]; readonly isShared: boolean } {
  const own: ResourceSlice[] = [];
  const pools = new Set<string>();
  const shared = new Set<string>();
  for (const slice of state.objects('ResourceSlice') as readonly ResourceSlice[]) {
    if (slice.spec?.nodeName === nodeName) own.push(slice);
    else {
      shared.add(poolOf(slice));
      if (slice.spec?.devices?.some((device) => device.nodeName === nodeName) !== true) continue;
    }
    pools.add(poolOf(slice));
  }
  const copied = own.filter((slice) => !shared.has(poolOf(slice)));
  return { copied, isShared: [...pools].some((pool) => shared.has(pool)) };
}

const poolOf = ({ spec }: ResourceSlice): string => JSON.stringify([spec?.driver, spec?.pool?.name]);

/** A ResourceSlice for a new node of the same pool: with the same devices, without their taints, which are those of single devices. */
export function namedSlice({ apiVersion, kind, metadata, spec }: ResourceSlice, name: string): ResourceSlice {
  const { pool, nodeName, devices } = spec ?? {};
  const own = pool && { ...pool, name: pool.name === nodeName ? name : `${name}/${pool.name}` };
  return {
    apiVersion,
    kind,
    metadata: { name: `${name}-${metadata.name}` },
    ...(spec && {
      spec: {
        ...spec,
        nodeName: name,
        ...(own && { pool: own }),
        ...(devices && { devices: devices.map((device) => without(device, 'taints')) }),
      },
    }),
  };
}

/** The spec with the taint that follows a cordon, and without the fields of a single node. */
function specOf({ taints = [], unschedulable = false }: NodeSpec): NodeSpec {
  const followed = withUnschedulableTaint(taints.map(withoutTime), unschedulable, undefined);
  return { ...(unschedulable && { unschedulable }), ...(followed.length > 0 && { taints: followed }) };
}

function withoutTime({ key, value, effect }: Taint): Taint {
  return { key, ...defined({ value }), effect };
}

const withoutVolumes = (status: NodeStatus): NodeStatus => without(status, 'volumesAttached');

/** `SetDefaults_NodeStatus`, k8s.io/kubernetes v1.36.2, pkg/apis/core/v1/defaults.go. */
function withAllocatable(status: NodeStatus): NodeStatus {
  const { capacity, allocatable = capacity } = status;
  return allocatable === undefined ? status : { ...status, allocatable };
}

/** A node that is ready, whatever the condition of the copied node. */
function ready(node: Node): Node {
  return { ...node, status: { ...node.status, conditions: [READY] } };
}
