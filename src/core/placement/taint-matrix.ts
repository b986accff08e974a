import type { ClusterState } from '../cluster/cluster-state.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { toleratesTaint, type TolerationGates } from '../kubernetes/toleration.js';
import { decides } from './plugins/taint-toleration/taint-toleration.js';

/**
 * Every pod of a state against every node on taints (NoSchedule and NoExecute; cordons are another rule's).
 *
 * What is computed is each distinct toleration against each distinct taint, and from that each toleration set against each
 * taint set; pods and nodes only point into it. 150,000 pods on 5,000 nodes are 750 million pairs, and 1,000 toleration
 * sets times 50 taint sets that are worked out.
 */
export class TaintMatrix {
  /** `allowed[tolerationSet * taintSets + taintSet]` is 1 where the taints are all tolerated. */
  private readonly allowed: Uint8Array;
  private readonly nodesPerTaintSet: Int32Array;
  private readonly podsPerTolerationSet: Int32Array;
  private nodesBySet: Int32Array | undefined;
  private podsBySet: Int32Array | undefined;

  constructor(
    private readonly state: ClusterState,
    gates: TolerationGates,
  ) {
    this.allowed = allowedPairs(state.tolerationSets, state.taintSets, gates);
    this.nodesPerTaintSet = new Int32Array(state.taintSets.length);
    for (const id of state.nodes.taintSetIds) this.nodesPerTaintSet[id]! += 1;
    this.podsPerTolerationSet = state.pods.podsPerTolerationSet();
  }

  tolerates(pod: number, node: number): boolean {
    return this.setTolerates(this.state.pods.tolerationSetId(pod), this.state.nodes.taintSetId(node));
  }

  setTolerates(tolerationSetId: number, taintSetId: number): boolean {
    return this.allowed[tolerationSetId * this.nodesPerTaintSet.length + taintSetId] === 1;
  }

  /** By toleration set id: how many nodes a pod with the set tolerates. */
  nodesByTolerationSet(): Int32Array {
    if (this.nodesBySet !== undefined) return this.nodesBySet;
    const sets = this.nodesPerTaintSet.length;
    this.nodesBySet = this.podsPerTolerationSet.map((_, tolerations) => {
      let nodes = 0;
      for (let taints = 0; taints < sets; taints++) {
        if (this.allowed[tolerations * sets + taints] === 1) nodes += this.nodesPerTaintSet[taints]!;
      }
      return nodes;
    });
    return this.nodesBySet;
  }

  /** By taint set id: how many pods tolerate a node with the set. */
  podsByTaintSet(): Int32Array {
    if (this.podsBySet !== undefined) return this.podsBySet;
    const sets = this.nodesPerTaintSet.length;
    this.podsBySet = this.nodesPerTaintSet.map((_, taints) => {
      let pods = 0;
      this.podsPerTolerationSet.forEach((count, tolerations) => {
        if (this.allowed[tolerations * sets + taints] === 1) pods += count;
      });
      return pods;
    });
    return this.podsBySet;
  }

  /** By pod: how many nodes it tolerates. */
  nodesByPod(): Int32Array {
    const bySet = this.nodesByTolerationSet();
    const { pods } = this.state;
    const counts = new Int32Array(pods.count);
    for (let pod = 0; pod < counts.length; pod++) counts[pod] = bySet[pods.tolerationSetId(pod)]!;
    return counts;
  }

  /** By node: how many pods tolerate it. */
  podsByNode(): Int32Array {
    const bySet = this.podsByTaintSet();
    return this.state.nodes.taintSetIds.map((set) => bySet[set]!);
  }

  /** In how many of all pairs of a pod and a node the pod tolerates the node. */
  get toleratedPairs(): number {
    let pairs = 0;
    this.nodesByTolerationSet().forEach((nodes, set) => (pairs += nodes * this.podsPerTolerationSet[set]!));
    return pairs;
  }

  /** The nodes that a pod tolerates, in order of their index. */
  nodesOf(pod: number): number[] {
    const set = this.state.pods.tolerationSetId(pod);
    const found: number[] = [];
    this.state.nodes.taintSetIds.forEach((taints, node) => {
      if (this.setTolerates(set, taints)) found.push(node);
    });
    return found;
  }

  /** The pods that tolerate a node, in order of their index. */
  podsOf(node: number): number[] {
    const taints = this.state.nodes.taintSetId(node);
    const { pods } = this.state;
    const found: number[] = [];
    for (let pod = 0; pod < pods.count; pod++)
      if (this.setTolerates(pods.tolerationSetId(pod), taints)) found.push(pod);
    return found;
  }
}

/** Distinct tolerations against distinct taints first: the sets are then put together from sets of small numbers. */
function allowedPairs(
  tolerationSets: readonly (readonly Toleration[])[],
  taintSets: readonly (readonly Taint[])[],
  gates: TolerationGates,
): Uint8Array {
  const taints = new Distinct<Taint>(({ key, value, effect }) => JSON.stringify([key, value ?? '', effect]));
  const needed = taintSets.map((set) => [...new Set(set.filter(decides).map((taint) => taints.idOf(taint)))]);
  const tolerations = new Distinct<Toleration>(({ key, operator, value, effect }) =>
    JSON.stringify([key ?? '', operator ?? '', value ?? '', effect ?? '']),
  );
  const given = tolerationSets.map((set) => set.map((toleration) => tolerations.idOf(toleration)));
  const matched = tolerations.values.map((toleration) =>
    taints.values.flatMap((taint, id) => (toleratesTaint(toleration, taint, gates) ? [id] : [])),
  );

  const allowed = new Uint8Array(tolerationSets.length * taintSets.length);
  const covered = new Int32Array(taints.values.length).fill(-1);
  given.forEach((set, row) => {
    for (const toleration of set) for (const taint of matched[toleration]!) covered[taint] = row;
    needed.forEach((all, column) => {
      if (all.every((taint) => covered[taint] === row)) allowed[row * taintSets.length + column] = 1;
    });
  });
  return allowed;
}

class Distinct<T> {
  readonly values: T[] = [];
  private readonly ids = new Map<string, number>();

  constructor(private readonly textOf: (value: T) => string) {}

  idOf(value: T): number {
    const text = this.textOf(value);
    let id = this.ids.get(text);
    if (id === undefined) {
      id = this.values.length;
      this.values.push(value);
      this.ids.set(text, id);
    }
    return id;
  }
}
