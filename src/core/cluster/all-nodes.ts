import type { ClusterState } from './cluster-state.js';

const known = new WeakMap<ClusterState, readonly number[]>();

/** The nodes of a state, in its order; the same list each time. */
export function allNodes(state: ClusterState): readonly number[] {
  let all = known.get(state);
  if (all === undefined) known.set(state, (all = Array.from({ length: state.nodes.count }, (_, node) => node)));
  return all;
}
