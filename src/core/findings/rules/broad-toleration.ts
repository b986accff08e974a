import { eachToleration, type PodRule } from '../pod-rule.js';
import { isKeyless } from '../toleration-text.js';

/** The consequence of tolerating every key with an effect. */
const consequences = new Map([
  [
    'NoSchedule',
    'The pod can be scheduled on cordoned nodes, nodes under pressure, control plane nodes and every dedicated pool. NoExecute taints still apply.',
  ],
  ['PreferNoSchedule', 'PreferNoSchedule taints no longer steer this pod away from any node.'],
  [
    'NoExecute',
    'No NoExecute taint keeps the pod off a node, and it stays on a node that is not ready, unreachable or out of service: admission does not add its default of 300 seconds.',
  ],
]);

/** `operator: Exists` without a key but with an effect: it matches every taint with that effect. */
export const broadToleration: PodRule = {
  code: 'broad-toleration',
  reads: 'tolerations',
  check: (pod) =>
    eachToleration(pod, (toleration, at) => {
      const { effect = '', operator, tolerationSeconds } = toleration;
      const consequence = consequences.get(effect);
      if (!isKeyless(toleration) || operator !== 'Exists' || consequence === undefined) return [];
      const timed =
        effect === 'NoExecute' && tolerationSeconds !== undefined
          ? `The pod can be scheduled on nodes with any NoExecute taint, and stays there for ${tolerationSeconds} seconds.`
          : consequence;
      return [
        {
          severity: 'warning',
          at,
          usualForDaemons: true,
          message: `Operator Exists without a key matches every taint with effect ${effect}, whatever its key and value. ${timed}`,
          suggestions: [{ text: 'Tolerate each intended taint by its key, with one toleration per taint.' }],
        },
      ];
    }),
};
