/** The size and variety of a generated cluster. Every distinct set occurs if the cluster is large enough. */
export interface ClusterShape {
  readonly seed: number;
  readonly nodes: number;
  readonly pods: number;
  /** The number of distinct taint lists, including the empty one. */
  readonly taintSets: number;
  /** The number of distinct toleration lists, including those of DaemonSets. */
  readonly tolerationSets: number;
  /** The share of pending pods, from 0 to 1. */
  readonly pendingShare: number;
}

/** The cluster that the performance targets refer to. */
export const DEFAULT_SHAPE: ClusterShape = {
  seed: 20260626,
  nodes: 5000,
  pods: 150_000,
  taintSets: 50,
  tolerationSets: 1000,
  pendingShare: 0.02,
};
