import { compilePreferredTerms, matchesTerm, type CompiledPreferredTerm } from '../../../kubernetes/node-selector.js';
import type { PreferredSchedulingTerm } from '../../../kubernetes/objects/pod.js';
import { normalizeByGreatest, type ScorePlugin } from '../../score-plugin.js';
import { LabelLooks } from './label-looks.js';
import { NAME } from './node-affinity.js';

/**
 * The sum of the weights of the preferred terms that a node meets, those that the profile adds included.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go, `Score`.
 */
export const nodeAffinityScore: ScorePlugin = {
  name: NAME,
  score: ({ state, pod, nodes, args }) => {
    const own = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
    const added = args.nodeAffinity.addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    if (own === undefined && added.length === 0) return { outcome: 'Skip' };
    const terms: LabelledTerm[] = [];
    for (const [from, list] of [
      ["the profile's addedAffinity", added],
      ["the pod's affinity", own ?? []],
    ] as const) {
      const compiled = compilePreferredTerms(list);
      if ('errors' in compiled) return { outcome: 'Error', message: compiled.message };
      terms.push(...labelled(from, list, compiled.terms));
    }
    const meets = ({ term }: LabelledTerm, node: number): boolean =>
      matchesTerm(term, state.nodes.name(node), state.nodes.labels(node));
    const raw = new Float64Array(nodes.length);
    const looks = new LabelLooks(state.nodes);
    for (const { term, weight } of terms) {
      const isMet = looks.of(term);
      if (isMet === undefined) continue;
      for (let i = 0; i < raw.length; i++) if (isMet(nodes[i]!)) raw[i]! += weight;
    }
    return {
      outcome: 'Score',
      raw,
      normalized: normalizeByGreatest(raw, { reverse: false }),
      arithmetic: (position) => ({
        formula:
          'sum of the weights of the preferred terms that match the node, divided by the highest such sum, times 100',
        terms: terms
          .filter((term) => meets(term, nodes[position]!))
          .map(({ of, weight }) => ({ of, amounts: {}, score: weight })),
      }),
    };
  },
};

interface LabelledTerm extends CompiledPreferredTerm {
  readonly of: string;
}

function labelled(
  from: string,
  list: readonly PreferredSchedulingTerm[],
  terms: readonly CompiledPreferredTerm[],
): LabelledTerm[] {
  return terms.map((term) => ({
    ...term,
    of: `${from}: preferredDuringSchedulingIgnoredDuringExecution[${term.term.index}] of ${list.length}`,
  }));
}
