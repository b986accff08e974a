import type { ChangedParts, ClusterState } from '../cluster/cluster-state.js';
import type { Rivals } from './rivals.js';
import { PodKinds } from '../scheduling/run/pod-kinds.js';

/** A state after the loss of some nodes, with all pods of these nodes gone. */
export interface Loss {
  /** The lost nodes, as indexes into the state before. */
  readonly nodes: readonly number[];
  readonly state: ClusterState;
  readonly kinds: PodKinds;
  /** Pods that look for a node after the loss, by the scheduler that places them; filled in by `rivalsIn`. */
  readonly rivals: Map<string, Rivals>;
}

/** The most losses that are kept for the next state. */
const MOST_KEPT = 64;

/**
 * The states after the loss of all nodes with a value of a label. If only the contents of nodes have changed since the last
 * state, a loss is made from the last one by the same changes.
 */
export class LostNodes {
  private readonly losses = new Map<string, Loss>();
  private readonly former: ReadonlyMap<string, Loss> | undefined;

  constructor(
    private readonly state: ClusterState,
    former?: LostNodes,
    private readonly changed?: ChangedParts,
  ) {
    const isOfNodes = changed !== undefined && !changed.pods && !changed.loadedKinds && changed.nodes !== 'others';
    if (isOfNodes && changed.kinds.size === 0) this.former = former?.losses;
  }

  *of(label: string, value: string): Generator<undefined, Loss> {
    const key = `${label}=${value}`;
    let loss = this.losses.get(key);
    if (loss === undefined) {
      loss = this.renewed(label, value, this.former?.get(key)) ?? (yield* this.lose(label, value));
      if (this.losses.size >= MOST_KEPT) this.losses.delete(this.losses.keys().next().value!);
      this.losses.set(key, loss);
    }
    return loss;
  }

  private renewed(label: string, value: string, former: Loss | undefined): Loss | undefined {
    if (former === undefined) return undefined;
    const { nodes } = this.state;
    const changed = this.changed!.nodes as readonly number[];
    const lost = new Set(former.nodes);
    const isLostNow = (node: number): boolean => nodes.labels(node)[label] === value;
    if (changed.some((node) => lost.has(node) !== isLostNow(node))) return undefined;
    // What a lost node is like makes no difference.
    const others = changed.filter((node) => !lost.has(node)).map((node) => nodes.node(node));
    const state = others.length === 0 ? former.state : former.state.apply({ upserts: others });
    return { ...former, state };
  }

  private *lose(label: string, value: string): Generator<undefined, Loss> {
    const { nodes, pods } = this.state;
    const column = nodes.labelColumn(label);
    const id = column?.values.indexOf(value) ?? -1;
    const lost: number[] = [];
    for (let node = 0; node < nodes.count; node++) if (id >= 0 && column!.valueIds[node] === id) lost.push(node);
    const base = this.state.fork();
    const edit = base.edit();
    for (const [turn, node] of lost.entries()) {
      if (turn % 32 === 31) yield undefined;
      for (const pod of nodes.podsOf(node)) edit.delete('Pod', pods.namespace(pod), pods.name(pod));
      edit.delete('Node', '', nodes.name(node));
      edit.delete('CSINode', '', nodes.name(node));
    }
    const state = base.after(edit);
    yield undefined;
    return { nodes: lost, state, kinds: yield* PodKinds.stepIn(state), rivals: new Map() };
  }
}
