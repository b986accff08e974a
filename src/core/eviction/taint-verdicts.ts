import { NOTHING } from '../collections/nothing.js';
import { evictionTime } from './eviction-time.js';
import type { Int64 } from '../kubernetes/objects/meta.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { indexOfTolerating, type TolerationGates } from '../kubernetes/toleration.js';

/** The effect of one NoExecute taint on a pod. */
export interface TaintVerdict {
  readonly taint: Taint;
  /** The index in the pod's list of the toleration that is used: the first match; null without one. */
  readonly toleration: number | null;
  /** The toleration's seconds as written; null if it has none, or if no toleration matches. */
  readonly seconds: Int64 | null;
  /**
   * Whether this taint decides when the pod leaves: the first that is not tolerated, else the one tolerated for the
   * shortest time.
   */
  readonly decides: boolean;
}

/**
 * The effect of each taint of a pod's node; `noExecute` has only those with that effect, in the node's order.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/v1/helper/helpers.go, `GetMatchingTolerations`.
 */
export function taintVerdicts(
  tolerations: readonly Toleration[],
  noExecute: readonly Taint[],
  gates: TolerationGates,
): readonly TaintVerdict[] {
  const found = noExecute.map((taint) => {
    const index = indexOfTolerating(tolerations, taint, gates);
    return { taint, toleration: index < 0 ? null : index, seconds: tolerations[index]?.tolerationSeconds ?? null };
  });
  const decisive = found.find(({ toleration }) => toleration === null) ?? shortest(found);
  return found.map((verdict) => ({ ...NOTHING, ...verdict, decides: verdict === decisive }));
}

function shortest<Timed extends { readonly seconds: Int64 | null }>(found: readonly Timed[]): Timed | undefined {
  return found
    .filter(({ seconds }) => seconds !== null)
    .reduce<Timed | undefined>(
      (least, one) => (least === undefined || BigInt(one.seconds!) < BigInt(least.seconds!) ? one : least),
      undefined,
    );
}

/**
 * The taints of which removing any one would keep the pod, because no others are left, or those left are tolerated
 * without a time limit. If no single one would, all taints that must be removed together.
 */
export function cancellingTaints(
  tolerations: readonly Toleration[],
  noExecute: readonly Taint[],
  gates: TolerationGates,
): { readonly anyOf: readonly Taint[]; readonly allOf: readonly Taint[] } {
  const stays = (taints: readonly Taint[]): boolean => {
    const { action } = evictionTime(tolerations, taints, gates);
    return action === 'none' || action === 'never';
  };
  if (stays(noExecute)) return { anyOf: [], allOf: [] };
  const anyOf = noExecute.filter((taint) => stays(noExecute.filter((other) => other !== taint)));
  // Each taint is evaluated separately, so those that are not tolerated without a limit are the ones to remove.
  return { anyOf, allOf: anyOf.length > 0 ? [] : noExecute.filter((taint) => !stays([taint])) };
}
