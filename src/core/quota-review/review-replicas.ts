import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { Refusal } from '../admission/admission-chain.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { reviewQuotas, type LimitedResource, type QuotaReview } from '../quota/quota-admission.js';
import { MAX_REPLICAS } from './how-many-fit.js';
import { quotaRaises, quotaRooms, withCharges, type QuotaRaise, type QuotaRoom } from './quota-room.js';

export interface ReplicasQuestion {
  /** All quotas of the namespace, by name. */
  readonly quotas: readonly ResourceQuota[];
  /** After all plugins except ResourceQuota. */
  readonly pod: Pod;
  readonly wanted: number;
  /** The name of the pod at this index, if it is known. */
  readonly nameOf?: (index: number) => string;
  /** In milliseconds since the epoch. */
  readonly now: number;
  readonly rules: KubernetesRules;
  readonly limited?: readonly LimitedResource[];
}

export interface ReplicasReview {
  /** Number of the wanted pods that are admitted before one is refused. */
  readonly admitted: number;
  /** Number that would be admitted regardless of how many are wanted; undefined if no quota ever stops them. */
  readonly fits: number | undefined;
  /** The API server's response to the first refused pod. */
  readonly refusal: Refusal | undefined;
  /** Tightest first. */
  readonly rooms: readonly QuotaRoom[];
  /** Empty if all are admitted, or if raising a number does not help. */
  readonly raises: readonly QuotaRaise[];
  /** The quotas with the admitted pods charged to them. */
  readonly quotas: readonly ResourceQuota[];
}

/**
 * Whether the quotas of a namespace admit this many identical pods one after another. The result equals that of
 * `reviewQuotas` for each of them in turn, including the charges of those before, at the cost of a few.
 *
 * @throws QuantityError for an invalid quantity
 */
export function reviewReplicas({ quotas, pod, wanted, nameOf, now, limited, rules }: ReplicasQuestion): ReplicasReview {
  const options = { now, rules, ...(limited && { limited }) };
  const review = (among: readonly ResourceQuota[], index: number): QuotaReview =>
    reviewQuotas(among, { operation: 'create', pod: nameOf === undefined ? pod : named(pod, nameOf(index)) }, options);
  const first = review(quotas, 0);
  if (first.outcome === 'refused' && first.exceeded === undefined) {
    return { admitted: 0, fits: 0, refusal: wanted > 0 ? refusalOf(first) : undefined, rooms: [], raises: [], quotas };
  }
  // A quota whose status lacks a resource of the pods has refused them all before.
  const rooms = quotaRooms(quotas, pod, { now, rules });
  const most = rooms[0]?.fits ?? MAX_REPLICAS;
  const admitted = Math.min(most, wanted);
  const after = withCharges(quotas, rooms, admitted);
  const stopped = admitted < wanted ? review(after, admitted) : undefined;
  return {
    admitted,
    fits: most === MAX_REPLICAS ? undefined : most,
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
