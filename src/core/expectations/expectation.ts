import type { PodManifest } from '../admission/read-pod-manifest.js';
import type { Selector } from '../kubernetes/label-selector.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import type { JsonObject } from '../json/json-value.js';

/** Which nodes an expectation is about; all nodes if nothing is set. Nodes meet everything that is set. */
export interface NodeChoice {
  /** A declared pool: the nodes that it selects. */
  readonly pool?: string;
  /** In kubectl's syntax. */
  readonly labelSelector?: string;
  readonly names?: readonly string[];
}

/** How many there may be; at least one is set, and `exactly` stands alone. */
export interface Bounds {
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly exactly?: number;
}

export interface WorkloadRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A pod as a manifest (of a Pod or a workload), or as a stored workload would create it. Exactly one is set. */
export interface PodChoice {
  readonly pod?: JsonObject;
  readonly workload?: WorkloadRef;
}

/** How many nodes take the pod, as the cluster is now. */
export interface PodFits extends PodChoice, Bounds {
  readonly nodes?: NodeChoice;
}

/** Whether admission takes the pod. */
export interface Admission {
  readonly pod: JsonObject;
  readonly outcome: 'admitted' | 'refused';
  /** A part of the refusal's message. */
  readonly messageContains?: string;
}

/** Matches taints; an absent part matches anything, an empty value a taint without a value. At least one is set. */
export interface TaintChoice {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
}

/** How many nodes have a taint. */
export interface TaintedNodes extends Bounds {
  readonly nodes?: NodeChoice;
  readonly taint: TaintChoice;
}

/** How many nodes there are. */
export interface NodeCount extends Bounds {
  readonly nodes?: NodeChoice;
  /** Counts only nodes whose condition Ready is True. */
  readonly ready?: true;
  /** Counts only nodes that are not cordoned. */
  readonly schedulable?: true;
}

/** Which pods and workloads may tolerate a taint: those of the namespaces, and the workloads. */
export interface Tolerates {
  /** In kubectl's syntax; without an effect, tolerating it with any effect counts. */
  readonly taint: string;
  readonly only: { readonly namespaces?: readonly string[]; readonly workloads?: readonly WorkloadRef[] };
}

/** Whether all replicas find a node again after the nodes with any one value of a label are lost. */
export interface Survives {
  readonly namespaces?: readonly string[];
  readonly workloads?: readonly WorkloadRef[];
  readonly lossOf: {
    /** `topology.kubernetes.io/zone`, `kubernetes.io/hostname`, or any other label. */
    readonly label: string;
    /** Only these values. */
    readonly values?: readonly string[];
  };
  /** The pods of others that lose their node and look for another one as well; by default all. */
  readonly competing?: 'all' | 'none';
}

/** Whether quotas and nodes take this many more replicas. */
export interface CapacityFor extends PodChoice {
  readonly replicas: number;
}

export interface Kinds {
  readonly podFits: PodFits;
  readonly admission: Admission;
  readonly taintedNodes: TaintedNodes;
  readonly nodeCount: NodeCount;
  readonly tolerates: Tolerates;
  readonly survives: Survives;
  readonly capacityFor: CapacityFor;
}

export type ExpectationKind = keyof Kinds;

export const EXPECTATION_KINDS = [
  'podFits',
  'admission',
  'taintedNodes',
  'nodeCount',
  'tolerates',
  'survives',
  'capacityFor',
] as const satisfies readonly ExpectationKind[];

/** An expectation as it was read, with what was compiled from its texts. */
export type Expectation = {
  readonly [Kind in ExpectationKind]: {
    /** The sentence; unique in its file. */
    readonly name: string;
    readonly description?: string;
    readonly kind: Kind;
    readonly spec: Kinds[Kind];
    readonly compiled: Compiled;
    /** The kind and everything that it says, as canonical JSON: expectations with the same text have the same result. */
    readonly text: string;
  };
}[ExpectationKind];

export interface Compiled {
  readonly nodes?: Selector;
  readonly manifest?: PodManifest;
  /** One for each effect that counts. */
  readonly taints?: readonly Taint[];
}

export type Verdict = 'holds' | 'broken' | 'unknown';

/** What was found for one expectation. */
export interface Finding {
  readonly verdict: Verdict;
  /** One sentence with the facts behind the verdict. */
  readonly reason: string;
  /** What was counted: nodes, replicas or pods; absent where nothing was. */
  readonly count?: number;
  /** More facts, one line each: messages of the scheduler or the API server, what was taken for given. */
  readonly details: readonly string[];
  /** The nodes, pods and workloads that decide the verdict, the first of each. */
  readonly nodes: readonly string[];
  readonly pods: readonly string[];
  readonly workloads: readonly WorkloadRef[];
}

/** The most nodes, pods and workloads that a finding lists. */
export const MOST_LISTED = 10;

export function finding(
  verdict: Verdict,
  reason: string,
  { details = [], nodes = [], pods = [], workloads = [], count }: Partial<Finding> = {},
): Finding {
  return {
    verdict,
    reason,
    ...(count === undefined ? {} : { count }),
    details: details.slice(0, MOST_LISTED),
    nodes: nodes.slice(0, MOST_LISTED),
    pods: pods.slice(0, MOST_LISTED),
    workloads: workloads.slice(0, MOST_LISTED),
  };
}

export const unknown = (reason: string, more: Partial<Finding> = {}): Finding => finding('unknown', reason, more);

/** `Deployment shop/web`. */
export const workloadText = ({ kind, namespace, name }: WorkloadRef): string => `${kind} ${namespace}/${name}`;
