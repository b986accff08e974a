import { eachToleration, type PodRule } from '../pod-rule.js';
import { isKeyless } from '../toleration-text.js';

/** `operator: Exists` without key and effect: it matches every taint there is and will be. */
export const toleratesEverything: PodRule = {
  code: 'tolerates-everything',
  reads: 'tolerations',
  check: (pod) =>
    eachToleration(pod, (toleration, at) => {
      if (!isKeyless(toleration) || toleration.operator !== 'Exists' || (toleration.effect ?? '') !== '') return [];
      return [
        {
          severity: 'warning',
          at,
          usualForDaemons: true,
          message:
            'tolerates everything, cordons included: operator Exists without a key and without an effect matches every taint of every ' +
            'node. The pod may land on cordoned nodes, on nodes under pressure or not ready, on the control plane and on every ' +
            'dedicated pool, and no NoExecute taint, out-of-service included, ever evicts it from there.',
          suggestions: [
            { text: 'Name the taints that the pod is meant to pass, one toleration each, with key and effect.' },
            {
              text: 'An agent that must run on every node: run it as a DaemonSet, whose controller adds the tolerations for node conditions and cordons.',
            },
          ],
        },
      ];
    }),
};
