import { holdsDefaultBack } from '../../admission/default-toleration-seconds.js';
import { NOT_READY, stayOn, UNREACHABLE } from '../silent-node.js';
import type { PodRule } from '../pod-rule.js';

/**
 * A toleration that keeps admission from adding its default of 300 seconds without matching the taint, since admission
 * compares only key and effect. The pod is evicted as soon as its node is not ready or unreachable.
 */
export const defaultTolerationBlocked: PodRule = {
  code: 'default-toleration-blocked',
  reads: 'tolerations',
  check: ({ tolerations, path, gates }) =>
    [NOT_READY, UNREACHABLE].flatMap((key) => {
      const stay = stayOn(key, tolerations, gates);
      const blocker = tolerations.findIndex((toleration) => holdsDefaultBack(toleration, key));
      if (stay.toleration !== -1 || stay.byDefault || blocker === -1) return [];
      const { effect = 'NoExecute' } = tolerations[blocker]!;
      return [
        {
          severity: 'warning',
          at: path.child('tolerations').index(blocker),
          message:
            `Because of this toleration, admission does not add its default of 300 seconds for ${key}. But the toleration does not match that taint, which has no value: ` +
            'the pod is evicted as soon as the taint is set.',
          suggestions: [
            {
              text: 'Use operator Exists.',
              toleration: { key, operator: 'Exists', effect: effect === '' ? 'NoExecute' : effect },
            },
          ],
        },
      ];
    }),
};
