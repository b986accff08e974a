import type { ClusterState } from '../cluster/cluster-state.js';

/** Maximum number of cached verdicts per state: nodes times requirements. */
const MAX_VERDICTS = 16 * 1024 * 1024;

/**
 * The nodes that label requirements select, cached for a state and for states that differ from it only in taints and
 * cordons. A change of taints therefore evaluates no labels again.
 */
export class LabelSelections {
  private readonly known = new WeakMap<ClusterState, (Uint8Array | undefined)[]>();

  /** The verdicts of a requirement for the nodes of a state. */
  of(state: ClusterState, demand: number, work: () => Uint8Array): Uint8Array {
    const ofState = this.verdictsOf(state);
    const known = ofState[demand];
    if (known !== undefined) return known;
    const verdicts = work();
    if ((demand + 1) * verdicts.length <= MAX_VERDICTS) ofState[demand] = verdicts;
    return verdicts;
  }

  /** Declares that the nodes of two states have the same order and the same labels. */
  share(from: ClusterState, to: ClusterState): void {
    this.known.set(to, this.verdictsOf(from));
  }

  private verdictsOf(state: ClusterState): (Uint8Array | undefined)[] {
    let known = this.known.get(state);
    if (known === undefined) this.known.set(state, (known = []));
    return known;
  }
}
