import type { Taint } from '../kubernetes/objects/taints.js';
import type { ClusterState } from './cluster-state.js';

/** The parts of a node that tolerations are compared with. */
export interface NodeSituation {
  readonly taints: readonly Taint[];
  readonly unschedulable: boolean;
  /** Equal for equal situations. */
  readonly key: string;
}

interface Keys {
  readonly schedulable: string;
  readonly unschedulable: string;
}

/** The keys of situations by their lists, which states share: most nodes have one of a few. */
const keys = new WeakMap<readonly Taint[], Keys>();

function keyOf(taints: readonly Taint[], unschedulable: boolean): string {
  let both = keys.get(taints);
  if (both === undefined) {
    const text = JSON.stringify(taints.map(({ key, value, effect }) => [key, value ?? '', effect]));
    keys.set(taints, (both = { schedulable: `false ${text}`, unschedulable: `true ${text}` }));
  }
  return unschedulable ? both.unschedulable : both.schedulable;
}

/** Assigns numbers to the distinct situations of the nodes of several states. */
export class NodeSituations {
  private readonly ids = new Map<string, number>();
  private readonly list: NodeSituation[] = [];

  get all(): readonly NodeSituation[] {
    return this.list;
  }

  idOf(taints: readonly Taint[], unschedulable: boolean): number {
    const key = keyOf(taints, unschedulable);
    let id = this.ids.get(key);
    if (id === undefined) {
      this.ids.set(key, (id = this.list.length));
      this.list.push({ taints, unschedulable, key });
    }
    return id;
  }

  /** The situation of one node of a state. */
  ofNode({ nodes, taintSets }: ClusterState, node: number): number {
    return this.idOf(taintSets[nodes.taintSetId(node)]!, nodes.unschedulable[node] === 1);
  }

  /** The situation of each node of a state, by index. */
  ofNodes({ nodes, taintSets }: ClusterState): Int32Array {
    const { taintSetIds, unschedulable } = nodes;
    const known = new Int32Array(taintSets.length * 2).fill(-1);
    const ids = new Int32Array(nodes.count);
    for (let node = 0; node < ids.length; node++) {
      const pair = taintSetIds[node]! * 2 + unschedulable[node]!;
      if (known[pair] === -1) {
        known[pair] = this.idOf(taintSets[taintSetIds[node]!]!, unschedulable[node] === 1);
      }
      ids[node] = known[pair]!;
    }
    return ids;
  }
}
