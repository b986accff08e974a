import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { indexOfTolerating, type TolerationGates } from '../kubernetes/toleration.js';

/** What the taint eviction controller does with a pod on a node with these taints. Delays are in nanoseconds. */
export type EvictionTime =
  /** The node has no NoExecute taint. */
  | { readonly action: 'none' }
  /** Evicted immediately, because this taint is not tolerated. */
  | { readonly action: 'now'; readonly untolerated: Taint; readonly noExecute: number }
  /** Every NoExecute taint is tolerated, each by the toleration at the same index of `used`. */
  | {
      readonly action: 'now' | 'after' | 'never';
      readonly untolerated?: undefined;
      readonly noExecute: number;
      readonly used: readonly Toleration[];
      /** Zero means immediately, a negative delay means never. */
      readonly delay: bigint;
    };

/** The delay that means never (`minTolerationTime` without any `tolerationSeconds`). */
const FOREVER = -1n;
const MAX_INT64 = 2n ** 63n - 1n;
const NANOSECONDS_A_SECOND = 1_000_000_000n;

/**
 * When a pod with these tolerations is evicted from a node with these taints: the delay counts from the time at which
 * the controller observes the taints, not from `timeAdded`.
 *
 * For each NoExecute taint the first matching toleration in the pod's order is used; later ones are ignored, even if
 * they tolerate the taint for longer or without a limit. The shortest `tolerationSeconds` among those used decides.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/tainteviction/taint_eviction.go, `processPodOnNode`; and
 * pkg/apis/core/v1/helper/helpers.go, `GetMatchingTolerations`.
 */
export function evictionTime(
  tolerations: readonly Toleration[],
  taints: readonly Taint[],
  gates: TolerationGates,
): EvictionTime {
  const noExecute = taints.filter(({ effect }) => effect === 'NoExecute');
  if (noExecute.length === 0) return { action: 'none' };
  const used: Toleration[] = [];
  for (const taint of noExecute) {
    const toleration = tolerations[indexOfTolerating(tolerations, taint, gates)];
    if (toleration === undefined) return { action: 'now', untolerated: taint, noExecute: noExecute.length };
    used.push(toleration);
  }
  const delay = minTolerationTime(used);
  return { action: delay < 0n ? 'never' : delay === 0n ? 'now' : 'after', noExecute: noExecute.length, used, delay };
}

/**
 * The shortest `tolerationSeconds` in nanoseconds: 0 without tolerations or if one has zero seconds or fewer, negative
 * (never) if none has any.
 *
 * Seconds are converted to nanoseconds in 64 bits, as upstream: 292 years and more overflow, mostly to a negative
 * number, which also means never, but sometimes to another delay. The largest int64 always means never.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/tainteviction/taint_eviction.go, `getMinTolerationTime`.
 */
export function minTolerationTime(tolerations: readonly Toleration[]): bigint {
  if (tolerations.length === 0) return 0n;
  let shortest = MAX_INT64;
  for (const { tolerationSeconds } of tolerations) {
    if (tolerationSeconds === undefined) continue;
    const seconds = BigInt(tolerationSeconds);
    if (seconds <= 0n) return 0n;
    if (seconds < shortest) shortest = seconds;
  }
  return shortest === MAX_INT64 ? FOREVER : BigInt.asIntN(64, shortest * NANOSECONDS_A_SECOND);
}
