import type { PodResourceVector } from '../resources/request-vector.js';
import type { HostPort } from './host-ports.js';
import type { Int64, Labels, OwnerReference } from '../kubernetes/objects/meta.js';
import type { Pod, PodAffinityTerm, PodSpec, PodStatus } from '../kubernetes/objects/pod.js';

/** The workload of a pod: its outermost known controller, or the pod itself without one. */
export interface Workload {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * The pods of a cluster state, by column. A pod's index is in no particular order, and is valid for one state only.
 *
 * Pods are stored in parts; `pod(index)` assembles one, so call it only if the complete object is needed.
 */
export interface PodTable {
  readonly count: number;
  pod(index: number): Pod;
  name(index: number): string;
  namespace(index: number): string;
  /** `namespace/name`. */
  key(index: number): string;
  /** -1 if there is no such pod. */
  indexOf(namespace: string, name: string): number;
  /** Index into `nodes`; -1 if the pod has no node, or its node is not stored. */
  nodeIndex(index: number): number;
  /** `spec.nodeName`, or the empty string. */
  nodeName(index: number): string;
  phase(index: number): string;
  /** `metadata.uid`, or the empty string. */
  uid(index: number): string;
  /** `metadata.deletionTimestamp`, or the empty string. */
  deletionTimestamp(index: number): string;
  /** `metadata.deletionGracePeriodSeconds`. */
  deletionGracePeriodSeconds(index: number): Int64 | undefined;
  /** `status.nominatedNodeName`, or the empty string. */
  nominatedNodeName(index: number): string;
  /** False for pods in phase Succeeded or Failed: they use no resources and no ports, and do not repel other pods. */
  active(index: number): boolean;
  /** Whether its deletion has been requested: its object has a `deletionTimestamp`. */
  terminating(index: number): boolean;
  /** Whether its condition Ready is True, whatever its phase. */
  ready(index: number): boolean;
  /** `status.startTime` in milliseconds since the epoch; NaN if it is absent or invalid. Parsed once per state. */
  startedAt(index: number): number;
  labels(index: number): Labels;
  /** Equal for pods with equal labels. */
  labelSetId(index: number): number;
  /** Only the kept annotations. */
  annotations(index: number): Readonly<Record<string, string>>;
  ownerReferences(index: number): readonly OwnerReference[];
  workload(index: number): Workload;
  /** Index into `ClusterState.tolerationSets`. */
  tolerationSetId(index: number): number;
  /** The number of pods by toleration set ID. Counted again at each call. */
  podsPerTolerationSet(): Int32Array;
  /** Equal for pods whose `spec` differs only in the node, so that a spec can be evaluated once. */
  specId(index: number): number;
  /**
   * The spec with a `specId`, without `nodeName`, and without the field that pins a DaemonSet's pod to its node (`matchFields`
   * on `metadata.name` in required node affinity).
   */
  specOf(specId: number): PodSpec;
  /**
   * Equal for pods whose `status` differs only in its times, so that results that depend only on spec and status can be
   * computed once per pair of IDs.
   */
  statusId(index: number): number;
  /** The status with a `statusId`, in which every time is an empty string. */
  statusOf(statusId: number): PodStatus | undefined;
  /** `spec.priority`, or 0 if it is absent. */
  priority(index: number): number;
  /** The host ports that the pod uses on its node. */
  hostPorts(index: number): readonly HostPort[];
  /** The pods without a node that preemption (or another component) has nominated to one, without those that have ended. */
  nominated(): readonly { readonly pod: number; readonly nodeIndex: number }[];
  /** The active pods on a stored node that use its host ports. */
  withHostPorts(): readonly number[];
  /** The active pods on a stored node that have required anti-affinity. */
  withRequiredAntiAffinity(): readonly number[];
  /** The namespaces of the active pods with a node name. */
  placedNamespaces(): readonly string[];
  /**
   * Visits the active pods on stored nodes: those of some namespaces, without duplicates, or of all. The cost depends only on
   * the pods of these namespaces.
   */
  forEachPlaced(
    namespaces: Iterable<string> | undefined,
    visit: (pod: number, node: number, labelSetId: number) => void,
  ): void;
  /** As `forEachPlaced`, with pauses in between. */
  stepEachPlaced(
    namespaces: Iterable<string> | undefined,
    visit: (pod: number, node: number, labelSetId: number) => void,
  ): Generator<undefined, void>;
  requiredAntiAffinity(index: number): readonly PodAffinityTerm[];
  /** Equal for pods with equal `requests`, so that results that depend only on them can be computed once. */
  requestId(index: number): number;
  /**
   * The amounts that the pod uses on its node, as the scheduler counts them (including status resources of an in-place
   * resize).
   */
  requests(index: number): PodResourceVector;
}
