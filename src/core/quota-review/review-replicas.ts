import type { Refusal } from '../admission/admission-chain.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { reviewQuotas, type LimitedResource, type QuotaReview } from '../quota/quota-admission.js';
import { MOST_REPLICAS } from './how-many-fit.js';
import { quotaRaises, quotaRooms, withCharges, type QuotaRaise, type QuotaRoom } from './quota-room.js';

export interface ReplicasQuestion {
  /** All of the namespace, in the order of their names. */
  readonly quotas: readonly ResourceQuota[];
  /** After all plugins but ResourceQuota. */
  readonly pod: Pod;
  readonly wanted: number;
  /** The name of the pod that follows so many others, where that is known. */
  readonly nameOf?: (index: number) => string;
  /** In milliseconds since the epoch. */
  readonly now: number;
  readonly limited?: readonly LimitedResource[];
}

export interface ReplicasReview {
  /** How many of those wanted are let in before one is refused. */
  readonly admitted: number;
  /** How many would be, whatever is wanted; undefined where no quota ever stops them. */
  readonly fits: number | undefined;
  /** What the API server answers to the first of them that it refuses. */
  readonly refusal: Refusal | undefined;
  /** Tightest first. */
  readonly rooms: readonly QuotaRoom[];
  /** Empty where all are let in, or where raising a number does not help. */
  readonly raises: readonly QuotaRaise[];
  /** With those that are let in charged to them. */
  readonly quotas: readonly ResourceQuota[];
}

/**
 * Whether the quotas of a namespace let in so many pods that are alike, one after another: the result is that of
 * `reviewQuotas` for each of them in turn, each of which sees the charges of those before, and costs no more than a few.
 *
 * @throws QuantityError for a text that is no quantity
 */
export function reviewReplicas({ quotas, pod, wanted, nameOf, now, limited }: ReplicasQuestion): ReplicasReview {
  const options = { now, ...(limited && { limited }) };
  const review = (among: readonly ResourceQuota[], index: number): QuotaReview =>
    reviewQuotas(among, { operation: 'create', pod: nameOf === undefined ? pod : named(pod, nameOf(index)) }, options);
  const first = review(quotas, 0);
  if (first.outcome === 'refused' && first.exceeded === undefined) {
    return { admitted: 0, fits: 0, refusal: wanted > 0 ? refusalOf(first) : undefined, rooms: [], raises: [], quotas };
  }
  // A quota whose status lacks a resource of the pods refuses them all, above.
  const rooms = quotaRooms(quotas, pod, now);
  const most = rooms[0]?.fits ?? MOST_REPLICAS;
  const admitted = Math.min(most, wanted);
  const after = withCharges(quotas, rooms, admitted);
  const stopped = admitted < wanted ? review(after, admitted) : undefined;
  return {
    admitted,
    fits: most === MOST_REPLICAS ? undefined : most,
    refusal: stopped?.outcome === 'refused' ? refusalOf(stopped) : undefined,
    rooms,
    raises: admitted < wanted ? quotaRaises(rooms, wanted) : [],
    quotas: after,
  };
}

function refusalOf({ refusal }: QuotaReview & { readonly outcome: 'refused' }): Refusal {
  const { plugin, status, message, causes } = refusal;
  return { by: plugin, status, message, causes };
}

const named = (pod: Pod, name: string): Pod => ({ ...pod, metadata: { ...pod.metadata, name } });
