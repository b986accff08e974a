import { describeTaintKey } from '../../kubernetes/well-known-taints.js';
import { eachToleration, type PodRule } from '../pod-rule.js';

/** A key that nothing sets any more, or that another has replaced: to Kubernetes today a plain string like any other. */
export const legacyKey: PodRule = {
  code: 'legacy-key',
  reads: 'tolerations',
  check: (pod) =>
    eachToleration(pod, (toleration, at) => {
      const { key = '' } = toleration;
      const known = describeTaintKey(key);
      if (known === undefined || (!known.legacy && known.until === undefined)) return [];
      const carriers = pod.cluster?.matchedBy(toleration, pod.gates) ?? [];
      // A deprecated key that the cluster still uses does its work.
      if (!known.legacy && carriers.length > 0) return [];
      const last = known.until === undefined ? '' : ` (until ${known.until})`;
      const today = known.legacy
        ? `No component sets it any more${last}: today it is a plain string, which matches a taint of exactly this key and means nothing else.`
        : `Current versions no longer set it${last}; elsewhere it is a plain string.`;
      const instead =
        known.replacedBy === undefined
          ? ''
          : ` ${known.replacedBy} took its place, and this toleration does not match that.`;
      return [
        {
          severity: known.legacy ? 'warning' : 'info',
          at,
          message: `${key} is a key of older versions: it was set when ${known.when}. ${today}${instead}`,
          suggestions:
            known.replacedBy === undefined
              ? [{ text: 'Remove it.' }]
              : [{ text: `Tolerate ${known.replacedBy}.`, toleration: { ...toleration, key: known.replacedBy } }],
        },
      ];
    }),
};
