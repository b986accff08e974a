import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { quoted } from '../../core/json/lossless-json.js';
import { withKnownJson } from '../known-json.js';

/** Names of nodes in a list. */
interface NameList {
  readonly nodes: readonly number[];
  readonly names: readonly string[];
}

/** The cached lists of a state contain at most this multiple of its nodes. */
const MAX_KEPT = 20;

/**
 * The name lists of one state. Pods of a cluster find mostly the same groups of nodes, so earlier lists are looked up
 * by their nodes.
 */
class NameLists {
  private readonly quoted: readonly string[];
  private readonly known = new Map<number, NameList>();
  /** By the very list of nodes; most groups have one that their state keeps. */
  private readonly ofLists = new WeakMap<readonly number[], readonly string[]>();
  private kept = 0;

  constructor(private readonly state: ClusterState) {
    this.quoted = Array.from({ length: state.nodes.count }, (_, node) => quoted(state.nodes.name(node)));
  }

  of(nodes: readonly number[]): readonly string[] {
    let names = this.ofLists.get(nodes);
    if (names === undefined) this.ofLists.set(nodes, (names = this.ofEqual(nodes)));
    return names;
  }

  private ofEqual(nodes: readonly number[]): readonly string[] {
    let hash = nodes.length;
    for (let index = 0; index < nodes.length; index++) hash = (Math.imul(hash, 31) + nodes[index]!) | 0;
    const known = this.known.get(hash);
    if (known?.nodes.length === nodes.length && known.nodes.every((node, index) => node === nodes[index]))
      return known.names;
    const names = nodes.map((node) => this.state.nodes.name(node));
    let json: Buffer | undefined;
    withKnownJson(names, () => (json ??= this.jsonOf(nodes)));
    this.kept += nodes.length - (known?.nodes.length ?? 0);
    if (this.kept > MAX_KEPT * this.state.nodes.count) {
      this.known.clear();
      this.kept = nodes.length;
    }
    this.known.set(hash, { nodes, names });
    return names;
  }

  private jsonOf(nodes: readonly number[]): Buffer {
    return Buffer.from(`[${nodes.map((node) => this.quoted[node]!).join(',')}]`);
  }
}

const listsOf = new WeakMap<ClusterState, NameLists>();

/** The names of nodes, in a list whose JSON is known. */
export function namesOf(state: ClusterState, nodes: readonly number[]): readonly string[] {
  let lists = listsOf.get(state);
  if (lists === undefined) listsOf.set(state, (lists = new NameLists(state)));
  return lists.of(nodes);
}
