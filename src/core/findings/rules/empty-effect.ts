import { TAINT_EFFECTS } from '../../kubernetes/taint.js';
import { HARD_EFFECTS } from '../cluster-taints.js';
import type { FindingSuggestion } from '../finding.js';
import { eachToleration, type PodRule } from '../pod-rule.js';
import { isKeyless } from '../toleration-text.js';

/**
 * A key without an effect: every effect is tolerated, NoExecute without a limit. A warning if the cluster uses the key
 * with both kinds of effects, because the missing effect then makes a difference.
 */
export const emptyEffect: PodRule = {
  code: 'empty-effect',
  reads: 'tolerations',
  check: (pod) =>
    eachToleration(pod, (toleration, at) => {
      if (isKeyless(toleration) || (toleration.effect ?? '') !== '') return [];
      const inUse = pod.cluster?.matchedBy(toleration, pod.gates).map(({ taint }) => taint.effect) ?? [];
      const effects = TAINT_EFFECTS.filter((effect) => inUse.includes(effect));
      const matters = effects.includes('NoExecute') && effects.length > 1;
      const today =
        pod.cluster === undefined
          ? ''
          : effects.length === 0
            ? ' Currently no node carries such a taint.'
            : ` In this cluster it matches ${effects.join(' and ')}.`;
      return [
        {
          severity: matters ? 'warning' : 'info',
          at: at,
          usualForDaemons: true,
          message:
            `Without an effect, the toleration of ${toleration.key!} applies to every effect: NoSchedule, PreferNoSchedule and ` +
            `NoExecute. The pod is never evicted because of such a taint.${today}`,
          suggestions: suggestions(effects).map((effect): FindingSuggestion => ({
            text: `Tolerate ${effect} only.`,
            toleration: { ...toleration, effect },
          })),
        },
      ];
    }),
};

/** The narrower effects to suggest: those in use, or the usual one. */
function suggestions(inUse: readonly string[]): readonly string[] {
  const hard = inUse.filter((effect) => HARD_EFFECTS.includes(effect));
  return hard.length > 0 ? hard : inUse.length > 0 ? inUse : ['NoSchedule'];
}
