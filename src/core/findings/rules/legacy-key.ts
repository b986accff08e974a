import { describeTaintKey } from '../../kubernetes/well-known-taints.js';
import { eachToleration, type PodRule } from '../pod-rule.js';

/**
 * A key that no component sets any longer, or that another key has replaced. Kubernetes treats it as a plain string.
 */
export const legacyKey: PodRule = {
  code: 'legacy-key',
  reads: 'tolerations',
  check: (pod) =>
    eachToleration(pod, (toleration, at) => {
      const { key = '' } = toleration;
      const known = describeTaintKey(key);
      if (known === undefined || (!known.legacy && known.until === undefined)) return [];
      const carriers = pod.cluster?.matchedBy(toleration, pod.gates) ?? [];
      // A deprecated key still works where the cluster uses it.
      if (!known.legacy && carriers.length > 0) return [];
      const last = known.until === undefined ? '' : ` (until ${known.until})`;
      const today = known.legacy
        ? `No component sets it any longer${last}: it is now a plain string without a special meaning.`
        : `Current versions no longer set it${last}: to them it is a plain string.`;
      const instead =
        known.replacedBy === undefined
          ? ''
          : ` It was replaced by ${known.replacedBy}, which this toleration does not match.`;
      return [
        {
          severity: known.legacy ? 'warning' : 'info',
          at,
          message: `Older versions set ${key} when ${known.when}. ${today}${instead}`,
          suggestions:
            known.replacedBy === undefined
              ? [{ text: 'Remove it.' }]
              : [{ text: `Tolerate ${known.replacedBy}.`, toleration: { ...toleration, key: known.replacedBy } }],
        },
      ];
    }),
};
