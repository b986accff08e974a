import type { Int64, Labels } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';

/** A label over all nodes: `values[valueIds[node]]`; an ID of -1 means that the node lacks the label. */
export interface LabelColumn {
  readonly valueIds: Int32Array;
  readonly values: readonly string[];
}

/**
 * One resource over all nodes, as int64 values: milliCPU for cpu, bytes for memory and storage, otherwise the count.
 *
 * `values[node]` is exact unless it is NaN; NaN means that the value is beyond the safe integers, and `at` returns it as a
 * bigint.
 */
export interface ResourceColumn {
  readonly values: Float64Array;
  at(node: number): Int64;
  copy(): WritableColumn;
}

export interface WritableColumn extends ResourceColumn {
  /** Whether every value is a safe integer. */
  readonly isSafe: boolean;
  set(node: number, value: Int64): void;
}

/** The resources of the nodes by name: `cpu`, `memory`, `ephemeral-storage`, `pods` and every scalar resource that occurs. */
export interface NodeResources {
  readonly names: readonly string[];
  /** Whether every value is a safe integer. */
  readonly isSafe: boolean;
  /** Undefined if no node has the resource, so that all values are zero. */
  column(resource: string): ResourceColumn | undefined;
  at(resource: string, node: number): Int64;
}

/**
 * The nodes of a cluster state, by column. A node's index is its position in the order of names (by code unit), and is valid
 * for one state only.
 */
export interface NodeTable {
  readonly count: number;
  name(index: number): string;
  /** -1 if there is no such node. */
  indexOf(name: string): number;
  node(index: number): Node;
  labels(index: number): Labels;
  /** The values of one label; undefined if no node has the label. Computed once per state. */
  labelColumn(key: string): LabelColumn | undefined;
  /** The keys of all labels that some node has, sorted. */
  labelKeys(): readonly string[];
  /** Index into `ClusterState.taintSets`. */
  taintSetId(index: number): number;
  readonly taintSetIds: Int32Array;
  /** 1 if `spec.unschedulable` is set. */
  readonly unschedulable: Uint8Array;
  /** `status.allocatable` as `framework.Resource` represents it. */
  readonly allocatable: NodeResources;
  /** The sums of the requests of the node's pods that have not ended. `pods` is the number of these pods. */
  readonly requested: NodeResources;
  /**
   * The sums of `cpu` and `memory` for scores: a container without a request counts as 100m or 200 MiB (`NonZeroRequested`).
   */
  readonly nonZeroRequested: NodeResources;
  /** The pods whose `spec.nodeName` is this node, including those that have ended, in no particular order. */
  podsOf(index: number): Int32Array;
}
