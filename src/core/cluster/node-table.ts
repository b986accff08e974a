import type { Int64, Labels } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';

/** A value of one label key over all nodes: `values[valueIds[node]]`, or no such label where the id is -1. */
export interface LabelColumn {
  readonly valueIds: Int32Array;
  readonly values: readonly string[];
}

/**
 * One resource over all nodes, an int64 each: milliCPU for cpu, bytes for memory and storage, else the count.
 *
 * `values[node]` is exact where it is a number; where it is NaN the value leaves the safe range of a double and `at`
 * gives it as a bigint.
 */
export interface ResourceColumn {
  readonly values: Float64Array;
  at(node: number): Int64;
}

/** The resources of the nodes by name: `cpu`, `memory`, `ephemeral-storage`, `pods` and every scalar resource that occurs. */
export interface NodeResources {
  readonly names: readonly string[];
  /** Undefined where no node has the resource: all zero. */
  column(resource: string): ResourceColumn | undefined;
  at(resource: string, node: number): Int64;
}

/**
 * The nodes of a cluster state, by column. A node's index is its place in the order of names (by code unit) and holds
 * for one state only.
 */
export interface NodeTable {
  readonly count: number;
  name(index: number): string;
  /** -1 where there is no such node. */
  indexOf(name: string): number;
  node(index: number): Node;
  labels(index: number): Labels;
  /** The values of one label key; undefined where no node carries the key. Computed once for a state. */
  labelColumn(key: string): LabelColumn | undefined;
  /** Every label key that some node carries, sorted. */
  labelKeys(): readonly string[];
  /** Index into `ClusterState.taintSets`. */
  taintSetId(index: number): number;
  readonly taintSetIds: Int32Array;
  /** 1 where `spec.unschedulable`. */
  readonly unschedulable: Uint8Array;
  /** `status.allocatable` as `framework.Resource` reads it. */
  readonly allocatable: NodeResources;
  /** The sum of the requests of the node's pods that have not ended. Its `pods` is their number. */
  readonly requested: NodeResources;
  /** `cpu` and `memory` as scores count them: a container that requests none counts as 100m, or as 200 MiB (`NonZeroRequested`). */
  readonly nonZeroRequested: NodeResources;
  /** The pods whose `spec.nodeName` is this node, those that ended included, in no particular order. */
  podsOf(index: number): Int32Array;
}
