import { DEFAULT_TOLERATION_SECONDS, holdsDefaultBack } from '../admission/default-toleration-seconds.js';
import type { Int64 } from '../kubernetes/objects/meta.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { indexOfTolerating, type TolerationGates } from '../kubernetes/toleration.js';

export { NOT_READY, UNREACHABLE } from '../kubernetes/condition-taints.js';

/**
 * How long a pod stays on a node with a NoExecute taint, in seconds from the moment that the controller observes the
 * taint.
 */
export interface Stay {
  /** Undefined: forever. Zero: evicted immediately. */
  readonly seconds: Int64 | undefined;
  /**
   * The toleration that decides, as an index into the pod's list; -1 if it is admission's default, or if no toleration
   * matches.
   */
  readonly toleration: number;
  /** Whether admission added the seconds. */
  readonly byDefault: boolean;
}

/**
 * How long a pod with these tolerations stays on a node with one of the two taints, including admission's default of
 * 300 seconds. The first matching toleration decides.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/tainteviction (GetMatchingTolerations, getMinTolerationTime).
 */
export function stayOn(taintKey: string, tolerations: readonly Toleration[], gates: TolerationGates): Stay {
  const taint: Taint = { key: taintKey, effect: 'NoExecute' };
  const index = indexOfTolerating(tolerations, taint, gates);
  if (index >= 0) {
    const { tolerationSeconds } = tolerations[index]!;
    const seconds = tolerationSeconds !== undefined && tolerationSeconds < 0 ? 0 : tolerationSeconds;
    return { seconds, toleration: index, byDefault: false };
  }
  if (tolerations.some((toleration) => holdsDefaultBack(toleration, taintKey))) {
    return { seconds: 0, toleration: -1, byDefault: false };
  }
  return { seconds: DEFAULT_TOLERATION_SECONDS, toleration: -1, byDefault: true };
}
