import { taintDifference, type TaintDifference } from '../audit/taint-difference.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { sameValue } from '../json/same-value.js';
import type { Taint } from '../kubernetes/objects/taints.js';

/** A node that the change alters. */
export interface EditedNode {
  readonly name: string;
  /** Its index in the state before. */
  readonly was: number;
  /** Its index in the state after. */
  readonly is: number;
  /** Shared by nodes with equal lists of taints before and after; does not include the cordon. */
  readonly taints: TaintsBeforeAndAfter;
}

export interface TaintsBeforeAndAfter {
  readonly before: readonly Taint[];
  readonly after: readonly Taint[];
  readonly difference: TaintDifference;
  /** The taints that the node did not carry before, or not with this value. */
  readonly fresh: readonly Taint[];
}

/** The nodes that a change alters. */
export interface EditedNodes {
  /** By name. */
  readonly nodes: readonly EditedNode[];
  readonly labelsChanged: boolean;
}

/** Nodes between two steps of the generator. */
const STRIDE = 512;

/**
 * The named nodes that are in both states and whose taints, cordon or labels differ, each once.
 */
export function* stepEditedNodes(
  before: ClusterState,
  after: ClusterState,
  names: readonly string[],
): Generator<undefined, EditedNodes> {
  const nodes: EditedNode[] = [];
  const pairs = new Map<string, TaintsBeforeAndAfter>();
  let anyLabels = false;
  for (const [index, name] of [...new Set(names)].sort().entries()) {
    if (index % STRIDE === STRIDE - 1) yield undefined;
    const was = before.nodes.indexOf(name);
    const is = after.nodes.indexOf(name);
    if (was < 0 || is < 0) continue;
    const taints = taintsOf(before, was, after, is, pairs);
    const labelsChanged = !sameValue(before.nodes.labels(was), after.nodes.labels(is));
    const { added, removed, changed } = taints.difference;
    if (
      added.length + removed.length + changed.length === 0 &&
      !labelsChanged &&
      before.nodes.unschedulable[was] === after.nodes.unschedulable[is]
    ) {
      continue;
    }
    anyLabels ||= labelsChanged;
    nodes.push({ name, was, is, taints });
  }
  return { nodes, labelsChanged: anyLabels };
}

function taintsOf(
  before: ClusterState,
  was: number,
  after: ClusterState,
  is: number,
  known: Map<string, TaintsBeforeAndAfter>,
): TaintsBeforeAndAfter {
  const ids = [before.nodes.taintSetId(was), after.nodes.taintSetId(is)] as const;
  const key = ids.join(' ');
  let pair = known.get(key);
  if (pair === undefined) {
    const [from, to] = [before.taintSets[ids[0]]!, after.taintSets[ids[1]]!];
    const difference = taintDifference({ taints: from, unschedulable: false }, { taints: to, unschedulable: false });
    const fresh = [...difference.added, ...difference.changed.map((change) => change.after)];
    known.set(key, (pair = { before: from, after: to, difference, fresh }));
  }
  return pair;
}
