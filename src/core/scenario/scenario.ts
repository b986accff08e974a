import type { JsonObject, JsonValue } from '../json/json-value.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { GivenTaintEdit } from '../taint-change/read-taint-edit.js';

/** Hypothetical changes of a cluster, in order: each change sees the results of those before it. */
export interface Scenario {
  readonly changes: readonly ScenarioChange[];
}

export type ScenarioChange =
  | ({ readonly type: 'editNodes' } & EditNodes)
  | ({ readonly type: 'addNodes' } & AddNodes)
  | ({ readonly type: 'removeNodes' } & RemoveNodes)
  | ({ readonly type: 'resizeNodes' } & ResizeNodes)
  | ({ readonly type: 'addPods' } & AddPods)
  | ({ readonly type: 'removePods' } & RemovePods)
  | ({ readonly type: 'movePods' } & MovePods)
  | ({ readonly type: 'editRuntimeClass' } & EditRuntimeClass)
  | ({ readonly type: 'editNamespace' } & EditNamespace)
  | ({ readonly type: 'putObjects' } & PutObjects)
  | ({ readonly type: 'removeObjects' } & RemoveObjects)
  | ({ readonly type: 'readmitPods' } & ReadmitPods)
  /** Several types in one change, or none: a fault. */
  | { readonly type: 'unclear'; readonly given: readonly string[] };

/** The names of the types of changes. */
export const CHANGE_TYPES = [
  'editNodes',
  'addNodes',
  'removeNodes',
  'resizeNodes',
  'addPods',
  'removePods',
  'movePods',
  'editRuntimeClass',
  'editNamespace',
  'putObjects',
  'removeObjects',
  'readmitPods',
] as const satisfies readonly ScenarioChange['type'][];

/**
 * Selects nodes; exactly one of the three members is set. A selector that matches no node is not a fault: nothing
 * changes.
 */
export interface NodeTargets {
  readonly nodes?: readonly string[];
  /** In kubectl's syntax. */
  readonly labelSelector?: string;
  readonly allNodes?: boolean;
}

/** Selects pods: by name, or all pods of a namespace, of a selector, or of both. */
export interface PodTargets {
  /** `namespace/name`. */
  readonly pods?: readonly string[];
  readonly namespace?: string;
  /** In kubectl's syntax. */
  readonly labelSelector?: string;
}

/** The edits of `kubectl taint`, `kubectl label` and `kubectl cordon`. */
export interface EditNodes extends NodeTargets, GivenTaintEdit {}

/** A map from resource name to quantity (string or number), as received. */
export type GivenResources = JsonValue;

/** The number and the names of objects to create: the given names, or the template's name with a number appended. */
export interface Copies {
  /** Replaces the template's name. */
  readonly name?: string;
  readonly names?: readonly string[];
  /** Absent for one object, whose name then has no number. */
  readonly count?: number;
}

/** Nodes from a template, as an autoscaler adds them: ready, and without pods. */
export interface AddNodes extends Copies {
  /** The manifest of a Node. Exactly one of `node` and `like` is set. */
  readonly node?: JsonObject;
  /** The name of a node to copy, without its individual fields. */
  readonly like?: string;
  /** Added to the template's labels; they take precedence. */
  readonly labels?: Labels;
  /** Replace the template's taints: arguments of `kubectl taint`, or objects. */
  readonly taints?: GivenTaintEdit['taints'];
  /** Added to the template's resources; they take precedence. */
  readonly allocatable?: GivenResources;
}

/** What happens to the pods of a removed node. */
export type PodsOfRemovedNodes = 'delete' | 'pending';

export interface RemoveNodes extends NodeTargets {
  /**
   * Pods of a DaemonSet, static pods, and pods that have ended or are being deleted are always deleted with their node.
   * By default, other pods become pending if they have a controller, which would replace them, and are deleted
   * otherwise.
   */
  readonly pods?: PodsOfRemovedNodes;
}

export interface ResizeNodes extends NodeTargets {
  readonly allocatable?: GivenResources;
  readonly capacity?: GivenResources;
}

export interface AddPods extends Copies {
  /** The manifest of a Pod, or of a workload with a pod template. Exactly one of `pod` and `like` is set. */
  readonly pod?: JsonObject;
  /** The pod to copy, as its controller would create another one: `namespace/name`. */
  readonly like?: string;
  /** The node that the pods run on. Without it the manifest's node is used, and without that the pods are pending. */
  readonly nodeName?: string;
  /** Whether the pods pass the cluster's admission; by default they do. */
  readonly admission?: 'run' | 'skip';
}

export type RemovePods = PodTargets;

export interface MovePods extends PodTargets {
  /** The node that the pods run on afterwards. Exactly one of `nodeName` and `pending` is set. */
  readonly nodeName?: string;
  /** Removes the pods from their nodes. */
  readonly pending?: boolean;
}

/** Absent members are unchanged. The pods of the class do not change until they are replaced: see `ReadmitPods`. */
export interface EditRuntimeClass {
  readonly name: string;
  /** Quantities by resource; they replace the overhead of the class. */
  readonly overhead?: GivenResources;
  /** Multiplies the overhead of the class; 0 to 1000, to three decimals. */
  readonly overheadFactor?: number;
  readonly withoutOverhead?: boolean;
  /** Replaces the node selector of the class. */
  readonly nodeSelector?: Labels;
  /** Replace the tolerations of the class. */
  readonly tolerations?: readonly JsonValue[];
}

/** Changes labels and annotations of a namespace, such as its default tolerations. */
export interface EditNamespace {
  readonly name: string;
  readonly labels?: JsonValue;
  readonly annotations?: JsonValue;
}

/** Adds objects, or replaces those with the same names. */
export interface PutObjects {
  /** Manifests of the kinds in `PUTTABLE`. */
  readonly objects: readonly JsonObject[];
}

export interface RemoveObjects {
  readonly objects: readonly { readonly kind: string; readonly namespace?: string; readonly name: string }[];
}

/** Replaces pods on their nodes, as their controllers would: they pass admission as changed so far. */
export interface ReadmitPods extends PodTargets {
  /** Selects all pods of this RuntimeClass, instead of the other members. */
  readonly runtimeClass?: string;
}
