import type { PodResourceVector } from '../resources/request-vector.js';
import type { HostPort } from './host-ports.js';
import type { Int64, Labels, OwnerReference } from '../kubernetes/objects/meta.js';
import type { Pod, PodAffinityTerm, PodSpec, PodStatus } from '../kubernetes/objects/pod.js';

/** What a pod belongs to: the outermost controller that is known, or the pod itself where it has none. */
export interface Workload {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * The pods of a cluster state, by column. A pod's index is in no particular order and holds for one state only.
 *
 * Pods are kept taken apart; `pod(index)` puts one together again, so ask for it only where the whole object is needed.
 */
export interface PodTable {
  readonly count: number;
  pod(index: number): Pod;
  name(index: number): string;
  namespace(index: number): string;
  /** `namespace/name`. */
  key(index: number): string;
  /** -1 where there is no such pod. */
  indexOf(namespace: string, name: string): number;
  /** Index into `nodes`, or -1 where the pod has no node or its node is not stored. */
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
  /** False for pods in phase Succeeded or Failed: they hold no resources, no ports, and repel nobody. */
  active(index: number): boolean;
  /** Whether somebody has asked for its deletion: its object has a `deletionTimestamp`. */
  terminating(index: number): boolean;
  /** Whether its condition Ready is True, whatever its phase. */
  ready(index: number): boolean;
  /** `status.startTime` in milliseconds since 1970; NaN where there is none, or none that can be read. Read once for a state's pods. */
  startedAt(index: number): number;
  labels(index: number): Labels;
  /** Equal for pods with equal labels. */
  labelSetId(index: number): number;
  /** Those that are kept. */
  annotations(index: number): Readonly<Record<string, string>>;
  ownerReferences(index: number): readonly OwnerReference[];
  workload(index: number): Workload;
  /** Index into `ClusterState.tolerationSets`. */
  tolerationSetId(index: number): number;
  /** How many pods have each toleration set, by its id. Counted again at each call. */
  podsPerTolerationSet(): Int32Array;
  /** Equal for pods with equal `spec` but for the node: use it to evaluate a spec once. */
  specId(index: number): number;
  /**
   * The spec that `specId` stands for, without `nodeName`, and without the field that pins a DaemonSet's pod to its node
   * (`matchFields` on `metadata.name` in required node affinity).
   */
  specOf(specId: number): PodSpec;
  /** Equal for pods with equal `status` but for its times: what follows from spec and status alone is evaluated once for both ids. */
  statusId(index: number): number;
  /** The status that `statusId` stands for, in which every time is an empty text. */
  statusOf(statusId: number): PodStatus | undefined;
  /** `spec.priority`, 0 where there is none. */
  priority(index: number): number;
  /** The host ports that the pod takes of its node. */
  hostPorts(index: number): readonly HostPort[];
  /** The pods not yet on a node that preemption (or another component) has nominated to one, those that ended left out. */
  nominated(): readonly { readonly pod: number; readonly nodeIndex: number }[];
  /** The active pods on a stored node that take host ports of it. */
  withHostPorts(): readonly number[];
  /** The active pods on a stored node that have required anti-affinity. */
  withRequiredAntiAffinity(): readonly number[];
  /** The namespaces of the active pods that name a node. */
  placedNamespaces(): readonly string[];
  /**
   * Visits the active pods on stored nodes: those of some namespaces, each of which is named once, or of all. What it costs follows
   * the pods of these namespaces.
   */
  forEachPlaced(
    namespaces: Iterable<string> | undefined,
    visit: (pod: number, node: number, labelSetId: number) => void,
  ): void;
  requiredAntiAffinity(index: number): readonly PodAffinityTerm[];
  /** Equal for pods with equal `requests`: what follows from them alone is worked out once for it. */
  requestId(index: number): number;
  /** What the pod holds of its node, as the scheduler counts it (status resources of an in-place resize included). */
  requests(index: number): PodResourceVector;
}
