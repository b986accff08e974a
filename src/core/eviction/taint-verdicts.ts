import { evictionTime } from './eviction-time.js';
import type { Int64 } from '../kubernetes/objects/meta.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { indexOfTolerating, type TolerationGates } from '../kubernetes/toleration.js';

/** What one NoExecute taint means for a pod. */
export interface TaintVerdict {
  readonly taint: Taint;
  /** The place in the pod's list of the toleration that is used: the first that matches; null where none does. */
  readonly toleration: number | null;
  /** For how long that tolerates the taint, as it is written; null for ever, or where nothing tolerates it. */
  readonly seconds: Int64 | null;
  /** Whether this taint decides when the pod leaves: the first that is not tolerated, else the one tolerated for the shortest time. */
  readonly decides: boolean;
}

/**
 * Taint by taint what a pod makes of those of its node; `noExecute` are those with that effect alone, in the node's order.
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
  return found.map((verdict) => ({ ...verdict, decides: verdict === decisive }));
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
 * The taints of which each alone, taken off the node, would keep the pod: what is left is nothing, or tolerated for ever. Where no
 * single one does, all those that have to go together.
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
  // Each taint is judged by itself, so that those not tolerated for ever are the ones that have to go.
  return { anyOf, allOf: anyOf.length > 0 ? [] : noExecute.filter((taint) => !stays([taint])) };
}
