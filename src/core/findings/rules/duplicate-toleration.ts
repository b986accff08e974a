import { matchesToleration } from '../../kubernetes/toleration.js';
import { eachToleration, type PodRule } from '../pod-rule.js';
import { describeToleration } from '../toleration-text.js';
import { normalized } from '../toleration-coverage.js';

/** A toleration that stands twice, but for its seconds. The first decides. */
export const duplicateToleration: PodRule = {
  code: 'duplicate-toleration',
  reads: 'tolerations',
  check: (pod) =>
    eachToleration(pod, (toleration, at, index) => {
      const first = pod.tolerations.findIndex((other) => matchesToleration(normalized(other), normalized(toleration)));
      if (first === index) return [];
      const seconds = pod.tolerations[first]!.tolerationSeconds;
      const sameSeconds = seconds === toleration.tolerationSeconds;
      const rest = sameSeconds
        ? ''
        : ` Its tolerationSeconds never count: ${describeSeconds(seconds)} of the first do.`;
      return [
        {
          severity: sameSeconds ? 'info' : 'warning',
          at,
          message: `The toleration (${describeToleration(toleration)}) repeats tolerations[${first}].${rest}`,
          suggestions: [{ text: sameSeconds ? 'Remove it.' : 'Keep the one whose seconds are meant.' }],
        },
      ];
    }),
};

const describeSeconds = (seconds: number | bigint | undefined): string =>
  seconds === undefined ? 'the endless ones' : `the ${seconds}`;
