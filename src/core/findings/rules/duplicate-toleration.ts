import { matchesToleration } from '../../kubernetes/toleration.js';
import { eachToleration, type PodRule } from '../pod-rule.js';
import { describeToleration } from '../toleration-text.js';
import { normalized } from '../toleration-coverage.js';

/** A toleration that is listed twice, apart from its seconds. The first one applies. */
export const duplicateToleration: PodRule = {
  code: 'duplicate-toleration',
  reads: 'tolerations',
  check: (pod) =>
    eachToleration(pod, (toleration, at, index) => {
      const first = pod.tolerations.findIndex((other) => matchesToleration(normalized(other), normalized(toleration)));
      if (first === index) return [];
      const seconds = pod.tolerations[first]!.tolerationSeconds;
      const sameSeconds = seconds === toleration.tolerationSeconds;
      const rest = sameSeconds ? '' : `  Its tolerationSeconds are ignored: ${describeSeconds(seconds)}.`;
      return [
        {
          severity: sameSeconds ? 'info' : 'warning',
          at,
          message: `The toleration (${describeToleration(toleration)}) repeats tolerations[${first}].${rest}`,
          suggestions: [
            { text: sameSeconds ? 'Remove it.' : 'Keep only the one with the intended tolerationSeconds.' },
          ],
        },
      ];
    }),
};

const describeSeconds = (seconds: number | bigint | undefined): string =>
  seconds === undefined ? 'the first one has none, so the pod stays forever' : `the ${seconds} of the first one apply`;
