import { formatTaint } from '../../../kubernetes/taint.js';
import type { Taint, Toleration } from '../../../kubernetes/objects/taints.js';
import { indexOfTolerating, type TolerationGates } from '../../../kubernetes/toleration.js';
import { normalizeByGreatest, type ScorePlugin } from '../../score-plugin.js';
import { NAME } from './taint-toleration.js';

/**
 * The taints that make a node less attractive to a pod with these tolerations, in the list's order. Only tolerations for the effect
 * PreferNoSchedule, or for every effect, count.
 */
export function dislikedTaints(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  gates: TolerationGates,
): readonly Taint[] {
  return dislikedBy(tolerationsThatCount(tolerations), taints, gates);
}

const tolerationsThatCount = (tolerations: readonly Toleration[]): readonly Toleration[] =>
  tolerations.filter(({ effect = '' }) => effect === '' || effect === 'PreferNoSchedule');

const dislikedBy = (
  counting: readonly Toleration[],
  taints: readonly Taint[],
  gates: TolerationGates,
): readonly Taint[] =>
  taints.filter((taint) => taint.effect === 'PreferNoSchedule' && indexOfTolerating(counting, taint, gates) < 0);

/**
 * The fewer PreferNoSchedule taints a node has that the pod does not tolerate, the better.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go, `Score`.
 */
export const taintTolerationScore: ScorePlugin = {
  name: NAME,
  score: ({ state, pod, gates, nodes }) => {
    const { tolerations = [] } = pod.spec;
    const { taintSetIds } = state.nodes;
    const counting = tolerationsThatCount(tolerations);
    const disliked = state.taintSets.map((taints) => dislikedBy(counting, taints, gates));
    const counts = disliked.map(({ length }) => length);
    const raw = new Float64Array(nodes.length);
    for (let i = 0; i < nodes.length; i++) raw[i] = counts[taintSetIds[nodes[i]!]!]!;
    return {
      outcome: 'Score',
      raw,
      normalized: normalizeByGreatest(raw, { reverse: true }),
      arithmetic: (position) => ({
        formula:
          'number of PreferNoSchedule taints that the pod does not tolerate; the node with the most gets 0, a node without any gets 100',
        terms: disliked[taintSetIds[nodes[position]!]!]!.map((taint) => ({
          of: formatTaint(taint),
          amounts: {},
          score: 1,
        })),
      }),
    };
  },
};
