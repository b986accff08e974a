import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { quoted } from '../../core/json/lossless-json.js';

/** The names of nodes in a list, and their JSON once it has been requested. */
interface NameList {
  readonly nodes: readonly number[];
  readonly names: readonly string[];
  text: string | undefined;
}

/** The cached lists of a state contain at most this multiple of its nodes. */
const MOST_KEPT = 20;

/**
 * The name lists of one state. Pods of a cluster find mostly the same groups of nodes, so earlier lists are looked up
 * by their nodes.
 */
class NameLists {
  private readonly quoted: readonly string[];
  private readonly known = new Map<number, NameList>();
  private kept = 0;

  constructor(private readonly state: ClusterState) {
    this.quoted = Array.from({ length: state.nodes.count }, (_, node) => quoted(state.nodes.name(node)));
  }

  of(nodes: readonly number[]): NameList {
    let hash = nodes.length;
    for (let index = 0; index < nodes.length; index++) hash = (Math.imul(hash, 31) + nodes[index]!) | 0;
    const known = this.known.get(hash);
    if (known?.nodes.length === nodes.length && known.nodes.every((node, index) => node === nodes[index])) return known;
    const made: NameList = { nodes, names: nodes.map((node) => this.state.nodes.name(node)), text: undefined };
    this.kept += nodes.length - (known?.nodes.length ?? 0);
    if (this.kept > MOST_KEPT * this.state.nodes.count) {
      this.known.clear();
      this.kept = nodes.length;
    }
    this.known.set(hash, made);
    return made;
  }

  textOf(list: NameList): string {
    return (list.text ??= `[${list.nodes.map((node) => this.quoted[node]!).join(',')}]`);
  }
}

const listsOf = new WeakMap<ClusterState, NameLists>();
const origins = new WeakMap<readonly unknown[], () => string>();

/** Returns the names of nodes in a list that `namesText` serializes faster than name by name. */
export function namesOf(state: ClusterState, nodes: readonly number[]): readonly string[] {
  let lists = listsOf.get(state);
  if (lists === undefined) listsOf.set(state, (lists = new NameLists(state)));
  const own = lists;
  const list = own.of(nodes);
  if (!origins.has(list.names)) origins.set(list.names, () => own.textOf(list));
  return list.names;
}

/** The JSON of a list from `namesOf`; undefined for any other list. */
export const namesText = (names: readonly unknown[]): string | undefined => origins.get(names)?.();
