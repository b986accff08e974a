import { SUCCESS, UNKNOWN, UNSCHEDULABLE, type PlacementInput } from '../../plugin.js';
import type { TermCounts } from './matching-pods.js';
import { existingTermCovers, readAffinityTerms, type AffinityTerm, type NamespaceMatch } from './terms.js';

/** A required anti-affinity term of a pod that exists, which repels the pod that is being placed. */
export interface RepellingTerm {
  readonly pod: number;
  readonly term: AffinityTerm;
}

/** Where the required anti-affinity of pods that exist repels a pod. */
export interface RepellingPods {
  /** Whether no pod on a node repels it from anywhere, even perhaps; those nominated apart. */
  readonly isEmpty: boolean;
  /** `unknown`: it hangs on labels of namespaces that were never loaded. Pods nominated to the node count besides, those gone from it no longer. */
  readonly at: (node: number, nominated: readonly number[], gone?: TermCounts) => NamespaceMatch;
  /** How many terms of a pod on a node repel it from there, by topology key. */
  readonly countsOf: (pod: number, node: number) => TermCounts;
  /** Refuses the nodes from which it is repelled, and says of those from which it may be that this is not known, if they passed. */
  readonly fill: (statuses: Uint8Array) => void;
  /** The terms that repel it from a node, those of pods nominated to it included. */
  readonly termsAt: (node: number, nominated: readonly number[]) => readonly RepellingTerm[];
  readonly explanationKey: (node: number) => string;
}

/** One topology key, and by id of its value the terms that repel (or may: `unknown`). */
interface RepellingKey {
  readonly topologyKey: string;
  readonly ids: Int32Array;
  readonly yes: (RepellingTerm[] | undefined)[];
  readonly unknown: (true | undefined)[];
}

/**
 * The required anti-affinity of pods on nodes that matches a pod, over the values of its topology keys. A pod with a term that cannot
 * be read repels nobody.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/interpodaffinity/filtering.go,
 * `getExistingAntiAffinityCounts`; k8s.io/kube-scheduler v0.36.2, framework/types.go, `AffinityTerm.Matches`.
 */
export function antiAffinityAgainst({ state, pod }: PlacementInput): RepellingPods {
  const { pods, nodes } = state;
  const { namespace = '', labels = {} } = pod.metadata;
  const keys = new Map<string, RepellingKey>();
  const bySpec = new Map<string, readonly { readonly term: AffinityTerm; readonly match: NamespaceMatch }[]>();

  /** The terms of a pod that match, or may. */
  const matching = (other: number): readonly { readonly term: AffinityTerm; readonly match: NamespaceMatch }[] => {
    const key = `${pods.specId(other)} ${pods.namespace(other)}`;
    let terms = bySpec.get(key);
    if (terms === undefined) {
      const read = readAffinityTerms(pods.specOf(pods.specId(other)), pods.namespace(other)).terms;
      terms = read.requiredAntiAffinity
        .filter(({ selector }) => selector.matches(labels))
        .map((term) => ({ term, match: existingTermCovers(state, term, namespace) }))
        .filter(({ match }) => match !== 'no');
      bySpec.set(key, terms);
    }
    return terms;
  };

  for (const other of pods.withRequiredAntiAffinity()) {
    const node = pods.nodeIndex(other);
    for (const { term, match } of matching(other)) {
      const column = nodes.labelColumn(term.topologyKey);
      const value = column?.valueIds[node] ?? -1;
      if (column === undefined || value < 0) continue;
      let key = keys.get(term.topologyKey);
      if (key === undefined)
        keys.set(
          term.topologyKey,
          (key = { topologyKey: term.topologyKey, ids: column.valueIds, yes: [], unknown: [] }),
        );
      if (match === 'unknown') key.unknown[value] = true;
      else (key.yes[value] ??= []).push({ pod: other, term });
    }
  }

  const all = [...keys.values()];
  const ofNominated = (
    node: number,
    nominated: readonly number[],
  ): readonly (RepellingTerm & { match: NamespaceMatch })[] =>
    nominated.flatMap((other) =>
      matching(other)
        .filter(({ term }) => (nodes.labelColumn(term.topologyKey)?.valueIds[node] ?? -1) >= 0)
        .map(({ term, match }) => ({ pod: other, term, match })),
    );
  return {
    isEmpty: keys.size === 0,
    countsOf: (other, node) => {
      const counts = new Map<string, number>();
      if (pods.requiredAntiAffinity(other).length === 0) return counts;
      for (const { term, match } of matching(other)) {
        if (match !== 'yes' || (nodes.labelColumn(term.topologyKey)?.valueIds[node] ?? -1) < 0) continue;
        counts.set(term.topologyKey, (counts.get(term.topologyKey) ?? 0) + 1);
      }
      return counts;
    },
    at: (node, nominated, gone) => {
      let unknown = false;
      for (const { topologyKey, ids, yes, unknown: perhaps } of all) {
        const value = ids[node]!;
        if ((yes[value]?.length ?? 0) > (gone?.get(topologyKey) ?? 0)) return 'yes';
        unknown ||= perhaps[value] === true;
      }
      for (const { match } of nominated.length === 0 ? [] : ofNominated(node, nominated)) {
        if (match === 'yes') return 'yes';
        unknown = true;
      }
      return unknown ? 'unknown' : 'no';
    },
    fill: (statuses) => {
      // Certain refusals first: they outweigh what is not known.
      for (const { ids, yes } of all) {
        for (let node = 0; node < statuses.length; node++) {
          if (statuses[node] === SUCCESS && yes[ids[node]!] !== undefined) statuses[node] = UNSCHEDULABLE;
        }
      }
      for (const { ids, unknown } of all) {
        if (unknown.length === 0) continue;
        for (let node = 0; node < statuses.length; node++) {
          if (statuses[node] === SUCCESS && unknown[ids[node]!] === true) statuses[node] = UNKNOWN;
        }
      }
    },
    termsAt: (node, nominated) => [
      ...all.flatMap(({ ids, yes }) => yes[ids[node]!] ?? []),
      ...ofNominated(node, nominated)
        .filter(({ match }) => match === 'yes')
        .map(({ pod: other, term }) => ({ pod: other, term })),
    ],
    explanationKey: (node) => all.map(({ ids }) => ids[node]!).join(),
  };
}
