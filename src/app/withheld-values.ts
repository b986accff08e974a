import type { ClusterState } from '../core/cluster/cluster-state.js';
import { poolsIn } from '../core/pools/pools-in.js';

/** What stands in the place of a withheld value. */
export const MASK = '***';

/** Values by the key of their taints and tolerations. */
export type ValuesByKey = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * What the answer to one request must not show: values of taints and tolerations, in clusters whose values are withheld from
 * the caller. It fills while the request is worked on.
 */
export class WithheldValues {
  private asked = false;
  private some = false;
  private readonly states = new Set<ClusterState>();

  /** The request is about a cluster, whose values the caller may see or not. */
  askedFor(mayBeSeen: boolean): void {
    this.asked = true;
    this.some ||= !mayBeSeen;
  }

  /** What the answer is made from. */
  addState(state: ClusterState): void {
    this.some = true;
    this.states.add(state);
  }

  /** Whether anything is withheld; a request that named no cluster may be about any of them. */
  get any(): boolean {
    return this.some || !this.asked;
  }

  byKey(): Map<string, Set<string>> {
    const found = new Map<string, Set<string>>();
    for (const state of this.states) {
      const declared = poolsIn(state).map(({ taints }) => taints);
      const lists = [...state.taintSets, ...state.tolerationSets, ...declared];
      for (const { key = '', value = '' } of lists.flat()) addValue(found, key, value);
    }
    return found;
  }
}

export function addValue(values: Map<string, Set<string>>, key: string, value: string): void {
  if (key === '' || value === '') return;
  const ofKey = values.get(key);
  if (ofKey === undefined) values.set(key, new Set([value]));
  else ofKey.add(value);
}
