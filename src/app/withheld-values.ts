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
  private readonly told: object[] = [];

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

  /**
   * What an answer is made from besides states: records and changes, which name taints that no state may have any more. Of
   * them a GraphQL query may ask for the words alone.
   */
  addTold(told: object): void {
    this.told.push(told);
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
    for (const told of this.told) collectValues(told, found);
    return found;
  }
}

/** Notes the values that stand beside their keys, in an answer or in what one is made from. */
export function collectValues(value: unknown, into: Map<string, Set<string>>): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const member of value) collectValues(member, into);
    return;
  }
  const { key, value: own, values } = value as Readonly<Record<string, unknown>>;
  // A toleration may have a value and no key.
  const name = typeof key === 'string' ? key : key === undefined && 'effect' in value ? '' : undefined;
  if (name !== undefined) {
    if (typeof own === 'string') addValue(into, name, own);
    if (Array.isArray(values) && !Object.hasOwn(value, 'operator')) {
      for (const one of values) if (typeof one === 'string') addValue(into, name, one);
    }
  }
  for (const member of Object.values(value)) collectValues(member, into);
}

export function addValue(values: Map<string, Set<string>>, key: string, value: string): void {
  if (value === '') return;
  const ofKey = values.get(key);
  if (ofKey === undefined) values.set(key, new Set([value]));
  else ofKey.add(value);
}
