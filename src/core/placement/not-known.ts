import { SUCCESS, UNKNOWN, type Prepared } from './plugin.js';
import type { Reason } from './reason.js';

/**
 * The answer of a plugin of whose rule something is not known here: never a pass, but unknown, with the reason why. Kubernetes may
 * also refuse the pod before it looks at nodes.
 *
 * @param reason of status `Unknown`
 * @param concerns the nodes that it may refuse; all by default
 */
export function notKnown(reason: Reason, concerns: (node: number) => boolean = () => true): Prepared {
  const { code, message } = reason;
  return {
    outcome: 'Filter',
    mayRejectPod: true,
    filter: {
      status: (node) => (concerns(node) ? UNKNOWN : SUCCESS),
      commonReasonKey: () => 0,
      commonReasons: () => [{ code, message }],
      explanationKey: () => 0,
      explain: (node) => (concerns(node) ? [reason] : []),
    },
  };
}
