import type { ClusterState } from '../cluster/cluster-state.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';

const EXAMPLES = 5;

/** An ordered list of taints, and the nodes that have exactly this list. */
export interface TaintSet {
  readonly taints: readonly Taint[];
  readonly nodes: number;
  /** The names of the first few nodes. */
  readonly examples: readonly string[];
}

/** The distinct lists of taints of a state's nodes, including the empty one, the most frequent first. */
export function listTaintSets(state: ClusterState): readonly TaintSet[] {
  const { nodes, taintSets } = state;
  const found = new Map<number, TaintSet & { nodes: number; examples: string[] }>();
  for (let node = 0; node < nodes.count; node++) {
    const id = nodes.taintSetId(node);
    let set = found.get(id);
    if (set === undefined) found.set(id, (set = { taints: taintSets[id]!, nodes: 0, examples: [] }));
    set.nodes++;
    if (set.examples.length < EXAMPLES) set.examples.push(nodes.name(node));
  }
  const text = ({ taints }: TaintSet): string => taints.map(formatTaint).join(',');
  return [...found.values()].sort((a, b) => b.nodes - a.nodes || (text(a) < text(b) ? -1 : 1));
}
