import type { ClusterState } from '../../../cluster/cluster-state.js';
import type { Pod } from '../../../kubernetes/objects/pod.js';
import { SUCCESS, UNRESOLVABLE, UNSCHEDULABLE } from '../../plugin.js';
import { coveredNamespaces, incomingTermCovers, type AffinityTerm } from './terms.js';

/** By topology key, how many times pods count there. */
export type TermCounts = ReadonlyMap<string, number>;

/**
 * The pods on nodes that meet a pod's required terms, over the values of the terms' topology keys. Terms of one key share their counts,
 * as upstream's map by key and value does.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/interpodaffinity/filtering.go,
 * `getIncomingAffinityAntiAffinityCounts`.
 */
export class PodsOfTerms {
  /** By topology key and id of its value: how many times a term is met by a pod there. */
  private readonly byKey: ReadonlyMap<string, Int32Array>;
  /** The distinct topology keys of the terms. */
  readonly topologyKeys: readonly string[];
  private readonly covered: readonly (ReadonlySet<string> | undefined)[];
  private total = 0;

  /** @param mode `all`: a pod counts only if it meets every term, and then for each of them; `any`: for each term that it meets */
  private constructor(
    private readonly state: ClusterState,
    readonly terms: readonly AffinityTerm[],
    private readonly mode: 'all' | 'any',
    present: readonly string[],
  ) {
    const { nodes } = state;
    this.topologyKeys = [...new Set(terms.map(({ topologyKey }) => topologyKey))];
    this.byKey = new Map(
      this.topologyKeys.map((key) => [key, new Int32Array(nodes.labelColumn(key)?.values.length ?? 0)]),
    );
    this.covered = terms.map((term) => coveredNamespaces(state, term, present).names);
  }

  /** With pauses while the pods are counted. */
  static *stepOf(
    state: ClusterState,
    terms: readonly AffinityTerm[],
    mode: 'all' | 'any',
  ): Generator<undefined, PodsOfTerms> {
    const present = terms.length === 0 ? [] : state.pods.placedNamespaces();
    const made = new PodsOfTerms(state, terms, mode, present);
    for (const namespace of present) if (made.mayCount(namespace)) yield* made.stepCount(namespace);
    return made;
  }

  /** Whether the pods of a namespace may count. */
  private mayCount(namespace: string): boolean {
    const isCovered = (names: ReadonlySet<string> | undefined): boolean => names?.has(namespace) !== false;
    return this.mode === 'all' ? this.covered.every(isCovered) : this.covered.some(isCovered);
  }

  /** Terms are held against each set of labels once, and not against each pod: a pod may have thousands of them. */
  private *stepCount(namespace: string): Generator<undefined, void> {
    const { state, byKey } = this;
    const met: (readonly (readonly [ids: Int32Array, counts: Int32Array, times: number])[] | undefined)[] = [];
    yield* state.pods.stepEachPlaced([namespace], (pod, node, labelSetId) => {
      met[labelSetId] ??= [...this.timesMet(this.met(pod))].flatMap(([key, times]) => {
        const ids = state.nodes.labelColumn(key)?.valueIds;
        return ids === undefined ? [] : [[ids, byKey.get(key)!, times] as const];
      });
      for (const [ids, counts, times] of met[labelSetId]) {
        const value = ids[node]!;
        if (value < 0) continue;
        counts[value]! += times;
        this.total += times;
      }
    });
  }

  /** By topology key, how many terms of it are met. */
  private timesMet(met: readonly boolean[]): TermCounts {
    const times = new Map<string, number>();
    this.terms.forEach(({ topologyKey }, place) => {
      if (met[place] === true) times.set(topologyKey, (times.get(topologyKey) ?? 0) + 1);
    });
    return times;
  }

  /**
   * Whether some pod counts on nodes with the node's value of the key; those nominated to the node count besides, and by key what has
   * gone from the node no longer.
   */
  has(topologyKey: string, node: number, nominated: readonly number[], gone?: TermCounts): boolean {
    const value = this.state.nodes.labelColumn(topologyKey)?.valueIds[node] ?? -1;
    if (value < 0) return false;
    const left = this.byKey.get(topologyKey)![value]! - (gone?.get(topologyKey) ?? 0);
    return left > 0 || nominated.some((pod) => this.counts(pod, topologyKey));
  }

  /** How many times a pod on a node counts for each topology key. */
  countsOf(pod: number, node: number): TermCounts {
    if (this.terms.length === 0) return NO_COUNTS;
    const { nodes } = this.state;
    const times = [...this.timesMet(this.met(pod))];
    return new Map(times.filter(([key]) => (nodes.labelColumn(key)?.valueIds[node] ?? -1) >= 0));
  }

  private readonly metBy = new Map<string, readonly boolean[]>();

  /** By term, whether the pod counts for it. */
  private met(pod: number): readonly boolean[] {
    const { pods } = this.state;
    const known = `${pods.labelSetId(pod)} ${pods.namespace(pod)}`;
    let met = this.metBy.get(known);
    if (met === undefined) {
      met = this.terms.map((_, place) => this.meets(pod, place));
      if (this.mode === 'all' && !met.every(Boolean)) met = met.map(() => false);
      this.metBy.set(known, met);
    }
    return met;
  }

  /** Nodes without the key are refused; so are those with a value where no pod counts, unless the pod may be the first. */
  fillUnmet(topologyKey: string, statuses: Uint8Array, isFirst: boolean): void {
    const ids = this.state.nodes.labelColumn(topologyKey)?.valueIds;
    const counts = this.byKey.get(topologyKey)!;
    for (let node = 0; node < statuses.length; node++) {
      const value = ids === undefined ? -1 : ids[node]!;
      if (value < 0 || (!isFirst && counts[value] === 0)) statuses[node] = UNRESOLVABLE;
    }
  }

  /** Nodes with a value where some pod counts are refused, if they were not before. */
  fillMet(topologyKey: string, statuses: Uint8Array): void {
    const ids = this.state.nodes.labelColumn(topologyKey)?.valueIds;
    if (ids === undefined) return;
    const counts = this.byKey.get(topologyKey)!;
    for (let node = 0; node < statuses.length; node++) {
      const value = ids[node]!;
      if (value >= 0 && counts[value]! > 0 && statuses[node] === SUCCESS) statuses[node] = UNSCHEDULABLE;
    }
  }

  /** Whether no pod counts anywhere. */
  isEmpty(node: number, nominated: readonly number[], gone?: TermCounts): boolean {
    let left = this.total;
    for (const count of gone?.values() ?? []) left -= count;
    return (
      left === 0 &&
      !nominated.some((pod) =>
        this.terms.some(
          ({ topologyKey }) =>
            (this.state.nodes.labelColumn(topologyKey)?.valueIds[node] ?? -1) >= 0 && this.counts(pod, topologyKey),
        ),
      )
    );
  }

  /** Whether the pod that is being placed meets every term itself. */
  matches({ metadata }: Pod): boolean {
    const { namespace = '', labels = {} } = metadata;
    return this.terms.every(({ selector }, place) => this.covers(place, namespace) && selector.matches(labels));
  }

  /** The first pods by name that meet a term on nodes with the node's value of its key, those nominated to the node included. */
  podsOf(term: AffinityTerm, node: number, nominated: readonly number[]): readonly number[] {
    const place = this.terms.indexOf(term);
    const value = this.state.nodes.labelColumn(term.topologyKey)?.valueIds[node] ?? -1;
    if (value < 0) return [];
    const byValue = this.byValue(place);
    let there = byValue.get(value) ?? [];
    if (there.length > MAX_NAMED) byValue.set(value, (there = this.firstOf(there)));
    return [...there, ...nominated.filter((pod) => this.meets(pod, place))];
  }

  private firstOf(all: readonly number[]): number[] {
    const { pods } = this.state;
    const first: Named[] = [];
    for (const pod of all) insert(first, { pod, key: pods.key(pod) });
    return first.map(({ pod }) => pod);
  }

  private readonly found = new Map<number, Map<number, number[]>>();

  /** By value id of a term's key, the pods that meet the term; kept for a few terms, since a pod may have thousands of them. */
  private byValue(place: number): Map<number, number[]> {
    const known = this.found.get(place);
    if (known !== undefined) return known;
    const found = new Map<number, number[]>();
    const { pods, nodes } = this.state;
    const { selector, topologyKey } = this.terms[place]!;
    const ids = nodes.labelColumn(topologyKey)?.valueIds;
    if (ids !== undefined && this.isEverMet(place)) {
      const judged: (boolean | undefined)[] = [];
      pods.forEachPlaced(this.covered[place], (pod, node, labelSetId) => {
        const value = ids[node]!;
        if (value < 0 || !(judged[labelSetId] ??= selector.matches(pods.labels(pod)))) return;
        const there = found.get(value);
        if (there === undefined) found.set(value, [pod]);
        else there.push(pod);
      });
    }
    if (this.found.size >= MAX_NAMED) this.found.clear();
    this.found.set(place, found);
    return found;
  }

  private isEverMet(place: number): boolean {
    for (const met of this.metBy.values()) if (met[place] === true) return true;
    return false;
  }

  private counts(pod: number, topologyKey: string): boolean {
    const ofKey = (place: number): boolean => this.terms[place]!.topologyKey === topologyKey;
    const places = this.terms.keys();
    return this.mode === 'all'
      ? [...places].every((place) => this.meets(pod, place))
      : [...places].some((place) => ofKey(place) && this.meets(pod, place));
  }

  private meets(pod: number, place: number): boolean {
    const { pods } = this.state;
    return this.covers(place, pods.namespace(pod)) && this.terms[place]!.selector.matches(pods.labels(pod));
  }

  private covers(place: number, namespace: string): boolean {
    // Those covered are looked for among the namespaces with pods on nodes: there are others.
    return incomingTermCovers(this.state, this.terms[place]!, namespace) === 'yes';
  }
}

const NO_COUNTS: TermCounts = new Map();

/** As many pods are named in one reason, and as many terms. */
export const MAX_NAMED = 20;

interface Named {
  readonly pod: number;
  readonly key: string;
}

/** Keeps the first by key, in order. */
function insert(list: Named[], one: Named): void {
  const last = list.at(-1);
  if (list.length === MAX_NAMED && last !== undefined && last.key < one.key) return;
  const place = list.findIndex(({ key }) => key > one.key);
  list.splice(place < 0 ? list.length : place, 0, one);
  if (list.length > MAX_NAMED) list.pop();
}
