import { eachToleration, type PodRule } from '../pod-rule.js';
import { isKeyless } from '../toleration-text.js';

/** What tolerating an effect for every key comes to. */
const consequences = new Map([
  [
    'NoSchedule',
    'The pod may land on cordoned nodes, on nodes under pressure, on the control plane and on every dedicated pool; NoExecute taints still hold.',
  ],
  ['PreferNoSchedule', 'No node counts as less wanted for this pod any more.'],
  [
    'NoExecute',
    'No NoExecute taint keeps the pod off a node, and it stays on a node that is not ready, unreachable or out of service; admission adds no 300 seconds.',
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
          ? `The pod stays for ${tolerationSeconds} seconds on a node with any NoExecute taint, and may be placed there.`
          : consequence;
      return [
        {
          severity: 'warning',
          at,
          usualForDaemons: true,
          message: `broad: operator Exists without a key matches every taint with effect ${effect}, whatever its key and value. ${timed}`,
          suggestions: [
            { text: 'Name the taints that the pod is meant to pass, one toleration each, with their keys.' },
          ],
        },
      ];
    }),
};
