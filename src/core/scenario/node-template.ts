import { defined } from '../collections/defined.js';
import { decodeObject } from '../kubernetes/decode.js';
import { isAbsent, onlyItem, withName } from '../admission/read-pod-manifest.js';
import { notSupported } from '../kubernetes/field-error.js';
import { FieldPath } from '../kubernetes/field-path.js';
import type { JsonObject } from '../json/json-value.js';
import type { Node, NodeMeta, NodeSpec, NodeStatus } from '../kubernetes/objects/node.js';
import type { CSINode } from '../kubernetes/objects/storage.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { validateNode, type NodeManifest } from '../kubernetes/validation/node.js';
import { withUnschedulableTaint } from '../taint-change/unschedulable-taint.js';
import type { ScenarioFaults } from './scenario-fault.js';
import { without } from './without.js';

/**
 * Taints that tell of the condition of one node, and none of its pool: the cluster autoscaler leaves the same ones out of
 * its templates.
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

/** A node as others of its pool would be: without uid, times, cordon, taints of its condition, provider's id, addresses, volumes. */
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
 * The manifest of a node as the API server would take it, and as its kubelet would report it: ready, with as much
 * allocatable as it has capacity unless it says how much. A manifest needs no name here.
 */
export function templateOfManifest(
  given: JsonObject,
  at: FieldPath,
  faults: ScenarioFaults,
): { readonly node: Node; readonly isNamed: boolean } | undefined {
  const { value, pointer } = onlyItem(given, '');
  const isBare = isAbsent(value, 'apiVersion') && isAbsent(value, 'kind');
  const options = isBare ? { apiVersion: 'v1', kind: 'Node' } : {};
  const decoded = decodeObject(withName(value), { ...options, whole: true });
  const kind = decoded.outcome === 'object' ? decoded.object.kind : decoded.kind;
  if (decoded.outcome === 'ignored' || (kind !== undefined && kind !== 'Node')) {
    faults.addOfObject(at, [notSupported(FieldPath.of('kind'), kind ?? '', ['Node'])], pointer);
    return undefined;
  }
  const errors = decoded.outcome === 'object' ? validateNode(decoded.object as NodeManifest) : [...decoded.errors];
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

/** A node of a template under a name of its own, which is its hostname too. One that keeps its name keeps its hostname. */
export function namedNode(template: Node, name: string): Node {
  const { name: former, labels = {} } = template.metadata;
  const metadata: NodeMeta = { ...template.metadata, name };
  if (name === former && Object.hasOwn(labels, HOSTNAME)) return { ...template, metadata };
  return { ...template, metadata: { ...metadata, labels: { ...labels, [HOSTNAME]: name } } };
}

/** The CSI drivers of a node as another one of its pool has them: the same, with volumes of none attached. */
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

/** With the taint that follows a cordon, and without what each node gets for itself. */
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

/** New nodes answer: whatever was the matter with the one that they are like is not theirs. */
function ready(node: Node): Node {
  return { ...node, status: { ...node.status, conditions: [READY] } };
}
