import type { ClusterState } from '../core/cluster/cluster-state.js';
import { finish } from '../core/collections/finish.js';
import { poolsIn } from '../core/pools/pools-in.js';

/** The text that replaces a hidden value. */
export const MASK = '***';

/** The values of taints and tolerations with one key. */
export interface TaintValues {
  readonly key: string;
  readonly values: readonly string[];
}

/** Values by the key of their taints and tolerations. */
export type ValuesByKey = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The taint and toleration values that a response must not show, because the caller may not see those of the cluster.
 * They are collected while the request is processed.
 */
export class WithheldValues {
  private isAboutCluster = false;
  private some = false;
  private readonly sources = new Set<object>();

  /** Notes that the request is about a cluster, and whether the caller may see its values. */
  noteCluster(mayBeSeen: boolean): void {
    this.isAboutCluster = true;
    this.some ||= !mayBeSeen;
  }

  /** Adds a state that the response is based on. */
  addState(state: ClusterState): void {
    // Not the state itself: a request may be about the states of many clusters.
    this.addValues(taintValuesOf(state));
  }

  /** Adds the values of a state that the response is based on. */
  addValues(values: readonly TaintValues[]): void {
    this.some = true;
    this.sources.add(values);
  }

  /**
   * Adds data besides states that the response is based on: records and changes may contain taints that no state has
   * any longer, and a GraphQL query may select only texts about them.
   */
  addSource(source: object): void {
    this.sources.add(source);
  }

  /** Whether any values are hidden; a request that named no cluster may be about any of them. */
  get any(): boolean {
    return this.some || !this.isAboutCluster;
  }

  byKey(): Map<string, Set<string>> {
    return finish(this.stepByKey());
  }

  /** As `byKey`, with pauses in between. */
  *stepByKey(): Generator<undefined, Map<string, Set<string>>> {
    const found = new Map<string, Set<string>>();
    for (const source of this.sources) yield* stepCollected(source, found);
    return found;
  }
}

const known = new WeakMap<ClusterState, readonly TaintValues[]>();

/** The values of the taints and tolerations in a state, also those of declared pools. */
export function taintValuesOf(state: ClusterState): readonly TaintValues[] {
  let values = known.get(state);
  if (values === undefined) {
    const found = new Map<string, Set<string>>();
    const declared = poolsIn(state).map(({ taints }) => taints);
    const lists = [...state.taintSets, ...state.tolerationSets, ...declared];
    for (const { key = '', value = '' } of lists.flat()) addValue(found, key, value);
    values = [...found].map(([key, ofKey]) => ({ key, values: [...ofKey] }));
    known.set(state, values);
  }
  return values;
}

/** Collects values with the keys beside them, from a response or from its source data. */
export function collectValues(value: unknown, into: Map<string, Set<string>>): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const member of value) collectValues(member, into);
    return;
  }
  collectOwn(value, into);
  for (const member of Object.values(value)) collectValues(member, into);
}

/** What has more levels is collected at once: a manifest of a list, for one. */
export const STEPPED_LEVELS = 4;

/** As `collectValues`, with a pause after each item of the upper lists. */
export function* stepCollected(
  value: unknown,
  into: Map<string, Set<string>>,
  levels = STEPPED_LEVELS,
): Generator<undefined, void> {
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  if (!isList) collectOwn(value, into);
  for (const member of Object.values(value) as unknown[]) {
    if (levels > 1) yield* stepCollected(member, into, levels - 1);
    else collectValues(member, into);
    if (isList) yield;
  }
}

function collectOwn(value: object, into: Map<string, Set<string>>): void {
  const { key, value: own, values } = value as Readonly<Record<string, unknown>>;
  // A toleration may have a value without a key.
  const name = typeof key === 'string' ? key : key === undefined && 'effect' in value ? '' : undefined;
  if (name !== undefined) {
    if (typeof own === 'string') addValue(into, name, own);
    if (Array.isArray(values) && !Object.hasOwn(value, 'operator')) {
      for (const one of values) if (typeof one === 'string') addValue(into, name, one);
    }
  }
}

export function addValue(values: Map<string, Set<string>>, key: string, value: string): void {
  if (value === '') return;
  const ofKey = values.get(key);
  if (ofKey === undefined) values.set(key, new Set([value]));
  else ofKey.add(value);
}
