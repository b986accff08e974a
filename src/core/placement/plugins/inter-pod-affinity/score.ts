import type { LabelColumn } from '../../../cluster/node-table.js';
import type { Assumption } from '../../plugin.js';
import { MAX_NODE_SCORE, type ScoreInput, type ScorePlugin, type ScoreTerm } from '../../score-plugin.js';
import { NAME } from './inter-pod-affinity.js';
import { PodKindsPlaced } from './pod-kinds-placed.js';
import { podsWithAffinity, type PodWithAffinity } from './pods-with-affinity.js';
import {
  existingTermCovers,
  incomingTermCovers,
  readAffinityTerms,
  type AffinityTerm,
  type NamespaceMatch,
  type WeightedAffinityTerm,
} from './terms.js';

/**
 * Pods that the pod would like to be near, or far from, add to the nodes with their topology value or take away from them; and so
 * do pods that would like to be near the pod, or far from it, or that require it near.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/interpodaffinity/scoring.go.
 */
export const interPodAffinityScore: ScorePlugin = {
  name: NAME,
  score: (input) => {
    const { state, pod, nodes, args } = input;
    const { terms, fault } = readAffinityTerms(pod.spec, pod.metadata.namespace ?? '');
    if (fault !== undefined) return { outcome: 'Error', message: `failed to parse pod: ${fault.message}` };
    const { preferredAffinity, preferredAntiAffinity } = terms;
    const prefers = preferredAffinity.length + preferredAntiAffinity.length > 0;
    if (args.interPodAffinity.ignorePreferredTermsOfExistingPods && !prefers) return { outcome: 'Skip' };
    const sums = new TopologySums(input);
    sums.addOwn('podAffinity', preferredAffinity, 1);
    sums.addOwn('podAntiAffinity', preferredAntiAffinity, -1);
    for (const other of podsWithAffinity(state.pods)) sums.addOther(other);
    const { found } = sums;
    const assumes = sums.namespacesNeeded ? [NAMESPACES_NEEDED] : [];
    if (found.length === 0) return { outcome: 'Skip', assumes };
    const raw = new Float64Array(nodes.length);
    for (const [column, values] of sums.totals()) {
      for (let i = 0; i < nodes.length; i++) {
        const value = column.valueIds[nodes[i]!]!;
        if (value >= 0) raw[i]! += values[value]!;
      }
    }
    return {
      outcome: 'Score',
      assumes,
      raw,
      normalized: normalize(raw),
      arithmetic: (position) => ({
        formula:
          'sum over the terms of weight times matching pods on nodes with the same topology value, scaled from the lowest through the highest sum to 0 through 100',
        terms: found.flatMap((sum) => termOf(sum, nodes[position]!)),
      }),
    };
  },
};

const NAMESPACES_NEEDED: Assumption = {
  plugin: NAME,
  kind: 'Namespace',
  message: 'no Namespace was ever loaded: a term that selects namespaces by label is assumed to select none',
};

/** What terms of one source come to, by the value of one topology key. */
interface Sum {
  readonly of: string;
  readonly topologyKey: string;
  readonly column: LabelColumn;
  /** @param value its id */
  readonly at: (value: number) => number;
}

function termOf({ of, topologyKey, column, at }: Sum, node: number): readonly ScoreTerm[] {
  const value = column.valueIds[node]!;
  const score = value < 0 ? 0 : at(value);
  return score === 0 ? [] : [{ of, amounts: { [topologyKey]: column.values[value]! }, score }];
}

/** More terms than this have the pods looked up by their labels. */
const FEW_TERMS = 16;

class TopologySums {
  /** Only of terms that mean some pod, though its weights may come to nothing. */
  readonly found: Sum[] = [];
  namespacesNeeded = false;
  private kinds: PodKindsPlaced | undefined;
  private readonly ofOthers = new Map<string, { readonly column: LabelColumn; readonly values: Float64Array }>();

  constructor(private readonly input: ScoreInput) {}

  /** The pod's own preferences: every pod on a node counts that one of them means. */
  addOwn(kind: 'podAffinity' | 'podAntiAffinity', terms: readonly WeightedAffinityTerm[], sign: 1 | -1): void {
    if (terms.length === 0) return;
    const { state } = this.input;
    const kinds = (this.kinds ??= new PodKindsPlaced(state));
    for (const { term, weight } of terms) {
      const { topologyKey, selector } = term;
      const column = state.nodes.labelColumn(topologyKey);
      if (column === undefined) continue;
      const meant = kinds
        .chosenBy(selector, terms.length > FEW_TERMS)
        .filter((one) => this.covers(incomingTermCovers(state, term, one.namespace)) && one.countsBy(column).size > 0);
      if (meant.length === 0) continue;
      for (const one of meant) one.addWeight(column, weight * sign);
      this.found.push({
        of: `${kind}.preferredDuringSchedulingIgnoredDuringExecution[${term.index}]`,
        topologyKey,
        column,
        at: (value) => meant.reduce((sum, one) => sum + (one.countsBy(column).get(value) ?? 0), 0) * weight * sign,
      });
    }
  }

  /** By topology, what all terms come to. */
  totals(): ReadonlyMap<LabelColumn, Float64Array> {
    const totals = new Map<LabelColumn, Float64Array>();
    const of = (column: LabelColumn): Float64Array => {
      let values = totals.get(column);
      if (values === undefined) totals.set(column, (values = new Float64Array(column.values.length)));
      return values;
    };
    for (const one of this.kinds?.all ?? []) {
      for (const [column, weight] of one.weights) {
        const values = of(column);
        for (const [value, count] of one.countsBy(column)) values[value]! += weight * count;
      }
    }
    for (const { column, values } of this.ofOthers.values()) {
      const sums = of(column);
      for (let value = 0; value < values.length; value++) sums[value]! += values[value]!;
    }
    return totals;
  }

  /** What another pod requires or prefers of this one. */
  addOther({ node, terms }: PodWithAffinity): void {
    const { hardPodAffinityWeight: hard } = this.input.args.interPodAffinity;
    if (hard > 0) {
      for (const term of terms.requiredAffinity) {
        if (this.isMatched(term)) this.add('required pod affinity of other pods', term.topologyKey, node, hard);
      }
    }
    for (const { term, weight } of terms.preferredAffinity) {
      if (this.isMatched(term)) this.add('preferred pod affinity of other pods', term.topologyKey, node, weight);
    }
    for (const { term, weight } of terms.preferredAntiAffinity) {
      if (this.isMatched(term)) this.add('preferred pod anti-affinity of other pods', term.topologyKey, node, -weight);
    }
  }

  private readonly matched = new Map<AffinityTerm, boolean>();

  private isMatched(term: AffinityTerm): boolean {
    let matched = this.matched.get(term);
    if (matched === undefined) {
      const { state, pod } = this.input;
      matched =
        term.selector.matches(pod.metadata.labels ?? {}) &&
        this.covers(existingTermCovers(state, term, pod.metadata.namespace ?? ''));
      this.matched.set(term, matched);
    }
    return matched;
  }

  private covers(match: NamespaceMatch): boolean {
    if (match === 'unknown') this.namespacesNeeded = true;
    return match === 'yes';
  }

  private add(of: string, topologyKey: string, node: number, weight: number): void {
    const column = this.input.state.nodes.labelColumn(topologyKey);
    const value = column?.valueIds[node] ?? -1;
    if (column === undefined || value < 0) return;
    const key = `${of} ${topologyKey}`;
    let sum = this.ofOthers.get(key);
    if (sum === undefined) {
      const values = new Float64Array(column.values.length);
      this.ofOthers.set(key, (sum = { column, values }));
      this.found.push({ of, topologyKey, column, at: (id) => values[id]! });
    }
    sum.values[value]! += weight;
  }
}

/** From the least sum to the greatest: 0 to 100. */
function normalize(raw: Float64Array): Float64Array {
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (const score of raw) {
    if (score < least) least = score;
    if (score > greatest) greatest = score;
  }
  const range = greatest - least;
  return raw.map((score) => (range > 0 ? Math.trunc(MAX_NODE_SCORE * ((score - least) / range)) : 0));
}
