import type { JsonObject, JsonValue } from '../json/json-value.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { GivenTaintEdit } from '../taint-change/read-taint-edit.js';

/** Hypothetical changes of a cluster, made in their order: each sees what those before it made. */
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
  /** Several changes in one, or none: a fault. */
  | { readonly type: 'unclear'; readonly given: readonly string[] };

/** The changes that there are, by the names of their types. */
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

/** Which nodes: exactly one of the three is given. A selector that no node fits is no fault: nothing changes. */
export interface NodeTargets {
  readonly nodes?: readonly string[];
  /** In kubectl's syntax. */
  readonly labelSelector?: string;
  readonly allNodes?: boolean;
}

/** Which pods: names, or all of a namespace, of a selector, or of both. */
export interface PodTargets {
  /** `namespace/name`. */
  readonly pods?: readonly string[];
  readonly namespace?: string;
  /** In kubectl's syntax. */
  readonly labelSelector?: string;
}

/** `kubectl taint`, `kubectl label` and `kubectl cordon`. */
export interface EditNodes extends NodeTargets, GivenTaintEdit {}

/** Resource name to quantity as text or number, as it was given. */
export type GivenResources = JsonValue;

/** How many of a template, and their names: those given, or the template's own with a number behind. */
export interface Copies {
  /** In the place of the template's own name. */
  readonly name?: string;
  readonly names?: readonly string[];
  /** Absent for one: then the name has no number. */
  readonly count?: number;
}

/** Nodes from a template, as an autoscaler adds them: ready, and with nothing on them. */
export interface AddNodes extends Copies {
  /** The manifest of a Node. Exactly one of `node` and `like` is given. */
  readonly node?: JsonObject;
  /** A node to copy, without what is its own. */
  readonly like?: string;
  /** Set over those of the template. */
  readonly labels?: Labels;
  /** In the place of those of the template: words of `kubectl taint`, or objects. */
  readonly taints?: GivenTaintEdit['taints'];
  /** Set over those of the template. */
  readonly allocatable?: GivenResources;
}

/** What becomes of pods whose node goes. */
export type PodsOfRemovedNodes = 'delete' | 'pending';

export interface RemoveNodes extends NodeTargets {
  /**
   * Pods of a DaemonSet, static pods, and pods that have ended or are being deleted always go with their node. Of the
   * others by default those with a controller become pending, since it would replace them, and those without one go.
   */
  readonly pods?: PodsOfRemovedNodes;
}

export interface ResizeNodes extends NodeTargets {
  readonly allocatable?: GivenResources;
  readonly capacity?: GivenResources;
}

export interface AddPods extends Copies {
  /** The manifest of a Pod, or of a workload whose template makes the pods. */
  readonly pod: JsonObject;
  /** The node that they run on; pending without one, and without one in the manifest. */
  readonly nodeName?: string;
  /** Whether they pass the cluster's admission first; they do by default. */
  readonly admission?: 'run' | 'skip';
}

export type RemovePods = PodTargets;

export interface MovePods extends PodTargets {
  /** The node that they run on from now on. Exactly one of `nodeName` and `pending` is given. */
  readonly nodeName?: string;
  /** Takes them off their nodes. */
  readonly pending?: boolean;
}

/** What is absent stays. The pods of the class stay as they are until they are replaced: see `ReadmitPods`. */
export interface EditRuntimeClass {
  readonly name: string;
  /** Quantities by resource, in the place of those of the class. */
  readonly overhead?: GivenResources;
  readonly withoutOverhead?: boolean;
  /** In the place of that of the class. */
  readonly nodeSelector?: Labels;
  /** In the place of those of the class. */
  readonly tolerations?: readonly JsonValue[];
}

/** Labels and annotations of a namespace, such as its default tolerations. */
export interface EditNamespace {
  readonly name: string;
  readonly labels?: JsonValue;
  readonly annotations?: JsonValue;
}

/** Objects that take the place of those of their names, or come. */
export interface PutObjects {
  /** Manifests of ResourceQuotas, LimitRanges, PriorityClasses, RuntimeClasses and Namespaces. */
  readonly objects: readonly JsonObject[];
}

export interface RemoveObjects {
  readonly objects: readonly { readonly kind: string; readonly namespace?: string; readonly name: string }[];
}

/** Replaces pods on their nodes, as their controllers would: through admission as it is by then. */
export interface ReadmitPods extends PodTargets {
  /** In the place of the others: all pods of this RuntimeClass. */
  readonly runtimeClass?: string;
}
