import { evictionTime } from '../eviction/eviction-time.js';
import { delayMsOf } from '../eviction/timer-decision.js';
import { taintVerdicts } from '../eviction/taint-verdicts.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import type { NoExecuteOutcome } from './drain-plan.js';

/** The NoExecute taints of a node with one added, which replaces one with the same key. */
export function withNoExecute(taints: readonly Taint[], taint: Taint): readonly Taint[] {
  return [...taints.filter(({ key, effect }) => effect === 'NoExecute' && key !== taint.key), taint];
}

/**
 * The effect of a node's NoExecute taints, the last of which is the requested one, on a pod, from the moment that the
 * controller observes them.
 */
export function noExecuteOutcome(
  tolerations: readonly Toleration[],
  taints: readonly Taint[],
  gates: TolerationGates,
): NoExecuteOutcome {
  const verdicts = taintVerdicts(tolerations, taints, gates);
  const { taint, toleration } = verdicts.find(({ decides }) => decides) ?? verdicts.at(-1)!;
  const time = evictionTime(tolerations, taints, gates);
  const action = time.action === 'none' ? 'never' : time.action;
  return {
    action,
    afterSeconds: time.action === 'after' ? delayMsOf(time) / 1000 : null,
    taint,
    toleration,
  };
}
