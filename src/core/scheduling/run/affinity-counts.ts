import type { ClusterState } from '../../cluster/cluster-state.js';
import type { Labels } from '../../kubernetes/objects/meta.js';
import {
  existingTermCovers,
  incomingTermCovers,
  type AffinityTerm,
} from '../../placement/plugins/inter-pod-affinity/terms.js';
import type { PluginArguments } from '../../placement/plugin-arguments.js';
import type { PodKind } from './pod-kinds.js';

/** Sums by the value of a topology key; a node without the key has none. */
interface ByValue {
  readonly ids: Int32Array;
  readonly sums: Float64Array;
}

/** What one pod of a kind adds to the counts when it is placed on a node. */
interface Addition {
  readonly to: 'affinity' | 'antiAffinity' | 'repelled' | 'preferred';
  readonly topologyKey: string;
  readonly amount: number;
}

const NOTHING: readonly Addition[] = [];

/**
 * The pods on nodes that affect the affinity of one pod, in both directions; updated as pods come and go.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/interpodaffinity/{filtering,scoring}.go.
 */
export class AffinityCounts {
  private readonly sums: Readonly<Record<Addition['to'], Map<string, ByValue>>> = {
    affinity: new Map(),
    antiAffinity: new Map(),
    repelled: new Map(),
    preferred: new Map(),
  };
  private readonly additions: (readonly Addition[] | undefined)[] = [];
  private readonly affinityKeys: readonly string[];
  private readonly matchesItself: boolean;
  private readonly knowsNamespaces: boolean;
  /** For pods that meet all required terms: how many of them are in a domain, added up over the terms' keys. */
  private affine = 0;
  /** Set if a result depends on the labels of namespaces that are not known. */
  isUnclear = false;
  /** Whether anything can refuse a node. */
  get filters(): boolean {
    return this.affinityKeys.length > 0 || this.sums.antiAffinity.size > 0 || this.sums.repelled.size > 0;
  }
  /** Whether anything is scored. */
  get scores(): boolean {
    return this.sums.preferred.size > 0;
  }

  constructor(
    private readonly state: ClusterState,
    private readonly pod: PodKind,
    private readonly args: PluginArguments['interPodAffinity'],
  ) {
    const { requiredAffinity } = pod.terms;
    this.knowsNamespaces = state.loadedKinds.has('Namespace');
    this.affinityKeys = [...new Set(requiredAffinity.map(({ topologyKey }) => topologyKey))];
    this.matchesItself = requiredAffinity.length > 0 && requiredAffinity.every((term) => this.isMetBy(term, pod));
  }

  /** Whether a pod of a kind changes any of the counts. */
  minds(kind: PodKind): boolean {
    return this.additionsOf(kind).length > 0;
  }

  /** @param by the change in the number of pods of the kind on the node: 1 or -1 */
  count(kind: PodKind, node: number, by: 1 | -1): void {
    for (const { to, topologyKey, amount } of this.additionsOf(kind)) {
      const column = this.state.nodes.labelColumn(topologyKey);
      const value = column?.valueIds[node] ?? -1;
      if (column === undefined || value < 0) continue;
      let sum = this.sums[to].get(topologyKey);
      if (sum === undefined) {
        sum = { ids: column.valueIds, sums: new Float64Array(column.values.length) };
        this.sums[to].set(topologyKey, sum);
      }
      sum.sums[value]! += by * amount;
      if (to === 'affinity') this.affine += by;
    }
  }

  /** Keeps those of the first `count` nodes that no required term excludes, in order. @returns their number */
  keepAdmitted(nodes: Int32Array, count: number): number {
    let left = this.keepMet(nodes, count);
    for (const { ids, sums } of this.sums.antiAffinity.values()) left = keepFree(nodes, left, ids, sums);
    for (const { ids, sums } of this.sums.repelled.values()) left = keepFree(nodes, left, ids, sums);
    return left;
  }

  private keepMet(nodes: Int32Array, count: number): number {
    // The first pod of a group with affinity to itself may be placed on any node that has the keys.
    const isFirst = this.affine === 0 && this.matchesItself;
    let left = count;
    for (const key of this.affinityKeys) {
      const ids = this.state.nodes.labelColumn(key)?.valueIds;
      const sums = this.sums.affinity.get(key)?.sums;
      let kept = 0;
      for (let at = 0; at < left; at++) {
        const node = nodes[at]!;
        const value = ids?.[node] ?? -1;
        if (value >= 0 && (isFirst || (sums?.[value] ?? 0) > 0)) nodes[kept++] = node;
      }
      left = kept;
    }
    return left;
  }

  /** Adds the raw scores of nodes to `raw`, by position. */
  addScores(nodes: Int32Array, count: number, raw: Float64Array): void {
    for (const { ids, sums } of this.sums.preferred.values()) {
      for (let i = 0; i < count; i++) {
        const value = ids[nodes[i]!]!;
        if (value >= 0) raw[i]! += sums[value]!;
      }
    }
  }

  private additionsOf(kind: PodKind): readonly Addition[] {
    if (!kind.hasTerms && !this.pod.hasTerms) return NOTHING;
    return (this.additions[kind.id] ??= this.judge(kind));
  }

  private judge(kind: PodKind): readonly Addition[] {
    const own = this.pod.terms;
    const additions: Addition[] = [];
    const add = (to: Addition['to'], { topologyKey }: AffinityTerm, amount: number): void => {
      additions.push({ to, topologyKey, amount });
    };
    if (own.requiredAffinity.length > 0 && own.requiredAffinity.every((term) => this.isMetBy(term, kind))) {
      for (const term of own.requiredAffinity) add('affinity', term, 1);
    }
    for (const term of own.requiredAntiAffinity) if (this.isMetBy(term, kind)) add('antiAffinity', term, 1);
    for (const term of kind.terms.requiredAntiAffinity) if (this.meets(term)) add('repelled', term, 1);
    if (this.ignoresScores) return additions;
    for (const { term, weight } of own.preferredAffinity) if (this.isMetBy(term, kind)) add('preferred', term, weight);
    for (const { term, weight } of own.preferredAntiAffinity) {
      if (this.isMetBy(term, kind)) add('preferred', term, -weight);
    }
    const { hardPodAffinityWeight: hard } = this.args;
    if (hard > 0) for (const term of kind.terms.requiredAffinity) if (this.meets(term)) add('preferred', term, hard);
    for (const { term, weight } of kind.terms.preferredAffinity) if (this.meets(term)) add('preferred', term, weight);
    for (const { term, weight } of kind.terms.preferredAntiAffinity) {
      if (this.meets(term)) add('preferred', term, -weight);
    }
    return additions;
  }

  private get ignoresScores(): boolean {
    const { preferredAffinity, preferredAntiAffinity } = this.pod.terms;
    return (
      this.args.ignorePreferredTermsOfExistingPods && preferredAffinity.length + preferredAntiAffinity.length === 0
    );
  }

  /** Whether a pod of a kind meets a term of this pod. */
  private isMetBy(term: AffinityTerm, { namespace, labels }: PodKind): boolean {
    const covers = (): boolean => this.isYes(incomingTermCovers(this.state, term, namespace));
    return this.meetsBoth(term, labels, covers);
  }

  /** Whether this pod meets a term of another. */
  private meets(term: AffinityTerm): boolean {
    const { namespace, labels } = this.pod;
    const covers = (): boolean => this.isYes(existingTermCovers(this.state, term, namespace));
    return this.meetsBoth(term, labels, covers);
  }

  /**
   * Comparing labels is faster. But if namespaces are unknown, they are checked first, so that the result is unknown
   * whatever the labels are.
   */
  private meetsBoth({ selector }: AffinityTerm, labels: Labels, covers: () => boolean): boolean {
    return this.knowsNamespaces ? selector.matches(labels) && covers() : covers() && selector.matches(labels);
  }

  private isYes(match: 'yes' | 'no' | 'unknown'): boolean {
    if (match === 'unknown') this.isUnclear = true;
    return match === 'yes';
  }
}

/** Keeps the nodes in whose domain nothing is counted. */
function keepFree(nodes: Int32Array, count: number, ids: Int32Array, sums: Float64Array): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const node = nodes[at]!;
    const value = ids[node]!;
    if (value < 0 || !(sums[value]! > 0)) nodes[kept++] = node;
  }
  return kept;
}
