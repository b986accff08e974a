import { eachToleration, type PodRule } from '../pod-rule.js';
import { isKeyless } from '../toleration-text.js';

/** `operator: Exists` without key and effect matches every present and future taint. */
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
            'The pod tolerates everything, cordons included: operator Exists without a key and without an effect matches every taint of every ' +
            'node. The pod can be scheduled on cordoned nodes, nodes that are under pressure or not ready, control plane nodes and every ' +
            'dedicated pool, and no NoExecute taint, not even out-of-service, ever evicts it.',
          suggestions: [
            { text: 'Tolerate each intended taint by its key and effect, with one toleration per taint.' },
            {
              text: 'Run an agent that must be on every node as a DaemonSet, whose controller adds the tolerations for node conditions and cordons.',
            },
          ],
        },
      ];
    }),
};
