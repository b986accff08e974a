import type { LabelColumn } from '../../../cluster/node-table.js';
import type { Assumption } from '../../plugin.js';
import { MAX_NODE_SCORE, type ScoreInput, type ScorePlugin, type ScoreTerm } from '../../score-plugin.js';
import { NAME } from './inter-pod-affinity.js';
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
    const found = [...sums.found.values()];
    const assumes = sums.namespacesNeeded ? [NAMESPACES_NEEDED] : [];
    if (found.length === 0) return { outcome: 'Skip', assumes };
    const raw = new Float64Array(nodes.length);
    for (const { column, values } of found) {
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
          'weights of the terms, times the pods that they match on nodes with the same topology value; between the least and the greatest such sum, 0 to 100',
        terms: found.flatMap((sum) => termOf(sum, nodes[position]!)),
      }),
    };
  },
};

const NAMESPACES_NEEDED: Assumption = {
  plugin: NAME,
  kind: 'Namespace',
  message: 'Namespaces were never loaded: a term that chooses them by their labels is taken to choose none',
};

/** What terms of one source have come to, by the value of one topology key. */
interface Sum {
  readonly of: string;
  readonly topologyKey: string;
  readonly column: LabelColumn;
  readonly values: Float64Array;
}

function termOf({ of, topologyKey, column, values }: Sum, node: number): readonly ScoreTerm[] {
  const value = column.valueIds[node]!;
  const score = value < 0 ? 0 : values[value]!;
  return score === 0 ? [] : [{ of, amounts: { [topologyKey]: column.values[value]! }, score }];
}

class TopologySums {
  /** Only of those that some pod has matched, though its weights may have come to nothing. */
  readonly found = new Map<string, Sum>();
  namespacesNeeded = false;

  constructor(private readonly input: ScoreInput) {}

  /** The pod's own preferences: every pod on a node counts that one of them matches. */
  addOwn(kind: 'podAffinity' | 'podAntiAffinity', terms: readonly WeightedAffinityTerm[], sign: 1 | -1): void {
    const { pods, nodes } = this.input.state;
    for (const { term, weight } of terms) {
      if (nodes.labelColumn(term.topologyKey) === undefined) continue;
      const of = `${kind}.preferredDuringSchedulingIgnoredDuringExecution[${term.index}]`;
      const answers = new Map<string, boolean>();
      for (let pod = 0; pod < pods.count; pod++) {
        const node = pods.nodeIndex(pod);
        if (node < 0 || !pods.active(pod)) continue;
        const key = `${pods.labelSetId(pod)} ${pods.namespace(pod)}`;
        let matches = answers.get(key);
        if (matches === undefined) {
          matches =
            term.selector.matches(pods.labels(pod)) &&
            this.covers(incomingTermCovers(this.input.state, term, pods.namespace(pod)));
          answers.set(key, matches);
        }
        if (matches) this.add(of, term.topologyKey, node, weight * sign);
      }
    }
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
    let sum = this.found.get(key);
    if (sum === undefined) {
      sum = { of, topologyKey, column, values: new Float64Array(column.values.length) };
      this.found.set(key, sum);
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
