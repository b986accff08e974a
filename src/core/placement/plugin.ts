import type { ClusterState } from '../cluster/cluster-state.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import type { Int64 } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { CommonReason, Reason, ResourceFacts } from './reason.js';

/** What every plugin looks at. The pod is one that the API server has defaulted. */
export interface PlacementInput {
  readonly state: ClusterState;
  readonly pod: Pod;
  readonly gates: TolerationGates;
  /** The names of the filters that are asked; undefined for the whole profile. */
  readonly filterNames: readonly string[] | undefined;
  /** The filters that are asked, in calling order. */
  readonly filters: readonly FilterPlugin[];
  /** Pods nominated to a node that count as if they were on it: of the same or a higher priority (`addGENominatedPods`). */
  readonly nominated: readonly { readonly pod: number; readonly nodeIndex: number }[];
}

/** A filter's answer for one node, small enough for a column: the codes of `fwk.Code` that filters give, and unknown. */
export const SUCCESS = 0;
export const UNSCHEDULABLE = 1;
export const UNRESOLVABLE = 2;
export const ERROR = 3;
export const UNKNOWN = 4;
export type StatusCode = typeof SUCCESS | typeof UNSCHEDULABLE | typeof UNRESOLVABLE | typeof ERROR | typeof UNKNOWN;

/** The filter of one plugin for one pod over the nodes of one state. */
export interface NodeFilter {
  /** Asked for every node: no allocation, no text. */
  readonly status: (node: number) => StatusCode;
  /**
   * The same for all nodes at once, where that is faster than asking for each: writes what is not success.
   * @returns false where every node passes, and nothing was written
   */
  readonly fill?: (statuses: Uint8Array) => boolean;
  /**
   * A number that nodes with the same reasons share, so that reasons are counted for the distinct ones. Asked only for
   * nodes that do not pass.
   */
  readonly commonReasonKey: (node: number) => number;
  /** What there is to say of the nodes with a key. */
  readonly commonReasons: (key: number) => readonly CommonReason[];
  /**
   * What nodes with the same explanation share, to the last fact; undefined where a node's is its own. Asked only for nodes
   * that do not pass. A filter without it explains each node by itself.
   */
  readonly explanationKey?: (node: number) => number | string | undefined;
  /** The same of nodes whose explanations differ in the names of the nodes alone. */
  readonly namelessKey?: (node: number) => number | string | undefined;
  /**
   * The amounts among the facts of nodes that share a `commonReasonKey`, by reason. A filter has it where such nodes differ in
   * nothing but these amounts.
   */
  readonly amounts?: (nodes: readonly number[]) => readonly AmountColumn[];
  /**
   * Set where all that it says of a node but its name follows from the node's taint set and from whether it is cordoned. Pods of which such a
   * filter says the same in a state share the very filter, so that what is counted of it is kept.
   */
  readonly byTaints?: true;
  /** Every reason against one node, with its facts. Empty exactly where `status` is success. */
  readonly explain: (node: number) => readonly Reason[];
  /**
   * Follows what the filter says of a node while some pods of that node go and come back; `pods` lists them. Only what was made last may
   * be used: a filter may give the same object each time. `reevaluate`: the filter depends on the node's pods, and has to be asked about a
   * state without them. A filter without extensions does not look at other pods.
   */
  readonly preFilterExtensions?: ((node: number, pods: readonly number[]) => PreFilterExtensions) | 'reevaluate';
}

export type AmountUnit = 'millicores' | 'bytes' | 'count';

/** One amount of several nodes, in their order. */
export interface AmountColumn {
  /** The index of the reason among those of the filter. */
  readonly reason: number;
  readonly fact: keyof ResourceFacts;
  readonly unit: AmountUnit;
  readonly values: readonly Int64[];
  /** It follows from other amounts of the same reason. */
  readonly isDerived?: true;
}

/**
 * What one filter says of one node while pods that are on it go and come back.
 *
 * Source: k8s.io/kube-scheduler v0.36.2, framework/interface.go, `PreFilterExtensions`.
 */
export interface PreFilterExtensions {
  /** Takes a pod off the node, by its place in the list. */
  readonly removePod: (place: number) => void;
  /** Puts back a pod that was taken off. */
  readonly addPod: (place: number) => void;
  /** Takes off all pods from a place on, for extensions that do many at once faster than one by one. */
  readonly removePodsFrom?: (place: number) => void;
  /**
   * Puts back the pods from one place to before another, one after the other, but for those with which the node would not pass: these are
   * put into `gone`. Present where the answer is never unknown.
   */
  readonly addPassingPods?: (from: number, to: number, gone: number[]) => void;
  readonly status: () => StatusCode;
  /** Kubernetes' texts for what the node fails; asked only where it does not pass. */
  readonly messages: () => readonly string[];
}

/**
 * What PreFilter answers: the plugin has nothing to do with the pod; or it refuses the pod whole; or it goes on to Filter,
 * perhaps for the named nodes only.
 */
export type Prepared =
  | { readonly outcome: 'Skip'; readonly assumes?: readonly Assumption[] }
  | {
      readonly outcome: 'Rejected';
      readonly reason: Reason;
      /** PreEnqueue refuses the pod already, so that the scheduler does not look for a node. */
      readonly keepsOutOfQueue?: true;
    }
  | {
      readonly outcome: 'Filter';
      readonly filter: NodeFilter;
      /** `PreFilterResult.NodeNames`: all other nodes are out. */
      readonly nodeNames?: ReadonlySet<string>;
      /** What the plugin's PostFilter says of a pod that fits nowhere, before preemption; `reached`: the nodes that earlier filters passed. */
      readonly postFilterMessage?: (reached: (node: number) => boolean) => string;
      /** Set by a plugin that is not built yet, where Kubernetes' PreFilter or PreEnqueue may already refuse the pod. */
      readonly mayRejectPod?: boolean;
      /** Kinds never loaded whose objects could have changed what this plugin took for given. */
      readonly assumes?: readonly Assumption[];
    };

/** Something that was taken for given because the kind that would tell was never loaded. */
export interface Assumption {
  readonly plugin: string;
  readonly kind: KeptKind;
  readonly message: string;
}

/**
 * One filter of the scheduler. Named, placed and answering as upstream's plugin of the same name; a rejection is a value.
 */
export interface FilterPlugin {
  readonly name: string;
  readonly preFilter: (input: PlacementInput) => Prepared;
  /** The same in steps, where that may take long. */
  readonly stepPreFilter?: (input: PlacementInput) => Generator<undefined, Prepared>;
}
