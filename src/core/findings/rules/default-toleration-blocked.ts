import { holdsDefaultBack } from '../../admission/default-toleration-seconds.js';
import { NOT_READY, stayOn, UNREACHABLE } from '../silent-node.js';
import type { PodRule } from '../pod-rule.js';

/**
 * A toleration that makes admission leave out its 300 seconds although it does not match the taint: admission looks at
 * key and effect only. The pod is then evicted the moment its node is not ready or silent.
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
            `For this toleration admission leaves out its default of 300 seconds for ${key}, though it does not match that taint, which has no value. ` +
            'The pod is evicted as soon as the taint is set.',
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
