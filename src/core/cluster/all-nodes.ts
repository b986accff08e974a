import type { ClusterState } from './cluster-state.js';

const known = new WeakMap<ClusterState, readonly number[]>();

/** The indexes of all nodes of a state, in order; always the same list. */
export function allNodes(state: ClusterState): readonly number[] {
  let all = known.get(state);
  if (all === undefined) known.set(state, (all = Array.from({ length: state.nodes.count }, (_, node) => node)));
  return all;
}
