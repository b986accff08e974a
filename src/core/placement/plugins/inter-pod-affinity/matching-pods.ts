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
  /** By term: the pods that count for it. */
  private readonly found: readonly number[][];
  private total = 0;

  /** @param mode `all`: a pod counts only if it meets every term, and then for each of them; `any`: for each term that it meets */
  constructor(
    private readonly state: ClusterState,
    readonly terms: readonly AffinityTerm[],
    private readonly mode: 'all' | 'any',
  ) {
    const { nodes } = state;
    this.topologyKeys = [...new Set(terms.map(({ topologyKey }) => topologyKey))];
    this.byKey = new Map(
      this.topologyKeys.map((key) => [key, new Int32Array(nodes.labelColumn(key)?.values.length ?? 0)]),
    );
    const present = terms.length === 0 ? [] : state.pods.placedNamespaces();
    this.covered = terms.map((term) => coveredNamespaces(state, term, present).names);
    this.found = terms.map(() => []);
    this.count();
  }

  private count(): void {
    const { terms, mode, state } = this;
    if (terms.length === 0) return;
    if (mode === 'all') {
      // The namespaces that every term is about.
      const [first, ...more] = this.covered;
      let common = first;
      for (const names of more) {
        const before = common;
        if (before === undefined) common = names;
        else if (names !== undefined) common = new Set([...before].filter((name) => names.has(name)));
      }
      this.visit(common, terms, (pod, node) => {
        terms.forEach((term, place) => {
          this.found[place]!.push(pod);
          this.add(term, node);
        });
      });
      return;
    }
    terms.forEach((term, place) => {
      this.visit(this.covered[place], [term], (pod, node) => {
        if ((state.nodes.labelColumn(term.topologyKey)?.valueIds[node] ?? -1) < 0) return;
        this.found[place]!.push(pod);
        this.add(term, node);
      });
    });
  }

  private visit(
    namespaces: ReadonlySet<string> | undefined,
    terms: readonly AffinityTerm[],
    found: (pod: number, node: number) => void,
  ): void {
    const { pods } = this.state;
    const judged: (boolean | undefined)[] = [];
    pods.forEachPlaced(namespaces, (pod, node, labelSetId) => {
      let matches = judged[labelSetId];
      if (matches === undefined) {
        const labels = pods.labels(pod);
        matches = terms.every(({ selector }) => selector.matches(labels));
        judged[labelSetId] = matches;
      }
      if (matches) found(pod, node);
    });
  }

  private add({ topologyKey }: AffinityTerm, node: number): void {
    const value = this.state.nodes.labelColumn(topologyKey)?.valueIds[node] ?? -1;
    if (value < 0) return;
    this.byKey.get(topologyKey)![value]! += 1;
    this.total += 1;
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
    const { terms, mode, state } = this;
    const { pods } = state;
    const counts = new Map<string, number>();
    if (terms.length === 0) return counts;
    const known = `${pods.labelSetId(pod)} ${pods.namespace(pod)}`;
    let met = this.metBy.get(known);
    if (met === undefined) {
      met = terms.map((_, place) => this.meets(pod, place));
      if (mode === 'all' && !met.every(Boolean)) met.fill(false);
      this.metBy.set(known, met);
    }
    terms.forEach(({ topologyKey }, place) => {
      if (met[place] !== true || (state.nodes.labelColumn(topologyKey)?.valueIds[node] ?? -1) < 0) return;
      counts.set(topologyKey, (counts.get(topologyKey) ?? 0) + 1);
    });
    return counts;
  }

  private readonly metBy = new Map<string, boolean[]>();

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

  /** The pods that count for a term on nodes with the node's value of its key, those nominated to the node included. */
  podsOf(term: AffinityTerm, node: number, nominated: readonly number[]): readonly number[] {
    const { pods, nodes } = this.state;
    const place = this.terms.indexOf(term);
    const ids = nodes.labelColumn(term.topologyKey)?.valueIds;
    const value = ids?.[node] ?? -1;
    if (ids === undefined || value < 0) return [];
    return [
      ...this.found[place]!.filter((pod) => ids[pods.nodeIndex(pod)] === value),
      ...nominated.filter((pod) => this.meets(pod, place)),
    ];
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
