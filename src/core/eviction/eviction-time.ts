import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { indexOfTolerating, type TolerationGates } from '../kubernetes/toleration.js';

/** What the taint eviction controller does with a pod on a node with these taints. Delays are in nanoseconds. */
export type EvictionTime =
  /** The node has no NoExecute taint. */
  | { readonly action: 'none' }
  /** At once, since nothing tolerates this taint. */
  | { readonly action: 'now'; readonly untolerated: Taint; readonly noExecute: number }
  /** Every NoExecute taint is tolerated, each by the toleration in `used` at its place. */
  | {
      readonly action: 'now' | 'after' | 'never';
      readonly untolerated?: undefined;
      readonly noExecute: number;
      readonly used: readonly Toleration[];
      /** Zero is at once, a negative delay is for ever. */
      readonly delay: bigint;
    };

/** The delay that stands for ever (`minTolerationTime` of no `tolerationSeconds` at all). */
const FOREVER = -1n;
const MAX_INT64 = 2n ** 63n - 1n;
const NANOSECONDS_A_SECOND = 1_000_000_000n;

/**
 * When a pod with these tolerations is evicted from a node with these taints: the delay counts from the moment when the
 * controller sees the taints, not from `timeAdded`.
 *
 * For each NoExecute taint the first toleration in the pod's order that matches is the one used; what stands behind it, even if
 * it would tolerate for longer or for ever, counts for nothing. The shortest `tolerationSeconds` among those used decides.
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
 * The shortest `tolerationSeconds` of all, in nanoseconds: 0 when there are no tolerations or one has zero seconds or fewer, negative
 * (for ever) when none has any.
 *
 * Seconds become nanoseconds in 64 bits, as upstream: some 292 years and more turn round, mostly into a negative number, which is
 * for ever too, but some into another delay. The largest int64 is for ever by itself.
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
