import type { Taint } from '../kubernetes/objects/taints.js';
import type { ClusterState } from './cluster-state.js';

/** The parts of a node that tolerations are compared with. */
export interface NodeSituation {
  readonly taints: readonly Taint[];
  readonly unschedulable: boolean;
  /** Equal for equal situations. */
  readonly key: string;
}

/** Texts of lists, which states share: most nodes have one of a few. */
const texts = new WeakMap<readonly Taint[], string>();

function textOf(taints: readonly Taint[]): string {
  let text = texts.get(taints);
  if (text === undefined) {
    text = JSON.stringify(taints.map(({ key, value, effect }) => [key, value ?? '', effect]));
    texts.set(taints, text);
  }
  return text;
}

/** Assigns numbers to the distinct situations of the nodes of several states. */
export class NodeSituations {
  private readonly ids = new Map<string, number>();
  private readonly list: NodeSituation[] = [];

  get all(): readonly NodeSituation[] {
    return this.list;
  }

  idOf(taints: readonly Taint[], unschedulable: boolean): number {
    const key = `${unschedulable} ${textOf(taints)}`;
    let id = this.ids.get(key);
    if (id === undefined) {
      this.ids.set(key, (id = this.list.length));
      this.list.push({ taints, unschedulable, key });
    }
    return id;
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
