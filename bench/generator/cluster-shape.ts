/** How large a generated cluster is, and how varied. Every distinct set occurs as soon as there is room for it. */
export interface ClusterShape {
  readonly seed: number;
  readonly nodes: number;
  readonly pods: number;
  /** Distinct lists of taints, the empty one included. */
  readonly taintSets: number;
  /** Distinct lists of tolerations, DaemonSets' included. */
  readonly tolerationSets: number;
  /** The share of pods, 0 to 1, that wait for a node. */
  readonly pendingShare: number;
}

/** The cluster that the design's targets are stated for. */
export const DEFAULT_SHAPE: ClusterShape = {
  seed: 20260626,
  nodes: 5000,
  pods: 150_000,
  taintSets: 50,
  tolerationSets: 1000,
  pendingShare: 0.02,
};
