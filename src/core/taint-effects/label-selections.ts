import type { ClusterState } from '../cluster/cluster-state.js';

/** Verdicts that are remembered of one state, in all: nodes times demands. */
const MOST_VERDICTS = 16 * 1024 * 1024;

/**
 * Which nodes the demands on labels select, remembered for a state and for those that differ from it in taints and cordons
 * alone: so a change of one node's taints asks no node about its labels again.
 */
export class LabelSelections {
  private readonly known = new WeakMap<ClusterState, (Uint8Array | undefined)[]>();

  /** The verdicts of the nodes of a state on a demand. */
  of(state: ClusterState, demand: number, work: () => Uint8Array): Uint8Array {
    const ofState = this.verdictsOf(state);
    const known = ofState[demand];
    if (known !== undefined) return known;
    const verdicts = work();
    if ((demand + 1) * verdicts.length <= MOST_VERDICTS) ofState[demand] = verdicts;
    return verdicts;
  }

  /** Says that the nodes of two states are the same, in the same order and with the same labels. */
  share(from: ClusterState, to: ClusterState): void {
    this.known.set(to, this.verdictsOf(from));
  }

  private verdictsOf(state: ClusterState): (Uint8Array | undefined)[] {
    let known = this.known.get(state);
    if (known === undefined) this.known.set(state, (known = []));
    return known;
  }
}
