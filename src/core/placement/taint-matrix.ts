import type { ClusterState } from '../cluster/cluster-state.js';
import { findUntolerated, type TolerationGates } from '../kubernetes/toleration.js';

const HARD_EFFECTS = ['NoSchedule', 'NoExecute'] as const;

/**
 * Every pod of a state against every node, on taints: whether the pod tolerates each NoSchedule and NoExecute taint of
 * the node, as the filter TaintToleration asks. It is worked out for the distinct toleration sets and taint sets that
 * occur, and read off for pods and nodes: 750 million pairs are 50,000 decisions.
 */
export class TaintMatrix {
  private readonly taintSetCount: number;
  /** 1 where a toleration set tolerates a taint set: row by toleration set, column by taint set. */
  private readonly decisions: Uint8Array;
  /** How many nodes each toleration set tolerates. */
  private readonly nodesBySet: Float64Array;
  /** How many pods tolerate each taint set. */
  private readonly podsBySet: Float64Array;
  /** The number of (pod, node) pairs in which the pod tolerates the node's taints. */
  readonly toleratedPairs: number;

  constructor(
    private readonly state: ClusterState,
    gates: TolerationGates,
  ) {
    const { nodes, pods, taintSets, tolerationSets } = state;
    this.taintSetCount = taintSets.length;
    const nodesOfTaintSet = new Float64Array(taintSets.length);
    for (const id of nodes.taintSetIds) nodesOfTaintSet[id]!++;
    const podsOfTolerationSet = new Float64Array(tolerationSets.length);
    for (let pod = 0; pod < pods.count; pod++) podsOfTolerationSet[pods.tolerationSetId(pod)]!++;

    this.decisions = new Uint8Array(tolerationSets.length * taintSets.length);
    this.nodesBySet = new Float64Array(tolerationSets.length);
    this.podsBySet = new Float64Array(taintSets.length);
    let pairs = 0;
    for (const [row, tolerations] of tolerationSets.entries()) {
      if (podsOfTolerationSet[row] === 0) continue;
      for (const [column, taints] of taintSets.entries()) {
        if (nodesOfTaintSet[column] === 0) continue;
        if (findUntolerated(tolerations, taints, HARD_EFFECTS, gates) !== undefined) continue;
        this.decisions[row * taintSets.length + column] = 1;
        this.nodesBySet[row]! += nodesOfTaintSet[column]!;
        this.podsBySet[column]! += podsOfTolerationSet[row]!;
      }
      pairs += podsOfTolerationSet[row]! * this.nodesBySet[row]!;
    }
    this.toleratedPairs = pairs;
  }

  /** Whether a pod tolerates a node's taints, both by their index in the state. */
  tolerates(pod: number, node: number): boolean {
    const row = this.state.pods.tolerationSetId(pod);
    return this.decisions[row * this.taintSetCount + this.state.nodes.taintSetIds[node]!] === 1;
  }

  /** How many nodes a pod tolerates. */
  nodesToleratedBy(pod: number): number {
    return this.nodesBySet[this.state.pods.tolerationSetId(pod)]!;
  }

  /** How many pods tolerate a node. */
  podsTolerating(node: number): number {
    return this.podsBySet[this.state.nodes.taintSetIds[node]!]!;
  }
}
