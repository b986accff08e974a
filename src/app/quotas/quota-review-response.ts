import type { quotaReview } from '../../contract/quotas/quota-review.js';
import type { Response } from '../../contract/schema.js';
import type { ResourceQuota } from '../../core/kubernetes/objects/quota.js';
import { quotaRaiseResponse } from './quota-raise-response.js';
import type { Refusal } from '../../core/admission/admission-chain.js';
import type { Reviewed } from './review-quotas.js';

type QuotaReviewResponse = Response<typeof quotaReview>;

export function renderReview(reviewed: Reviewed): QuotaReviewResponse {
  const { kind, namespace, name, wanted, admitted, fits, refusal, rooms, raises, undecided, notes } = reviewed;
  return {
    kind,
    namespace,
    name,
    outcome: outcomeOf(reviewed),
    wanted,
    admitted,
    fits: fits ?? null,
    refusal: refusal === undefined ? null : refusalResponse(refusal),
    raises: raises.map(quotaRaiseResponse),
    rooms: rooms.map(({ hard, used, perPod, ...room }) => ({
      ...room,
      hard: hard.toString(),
      used: used.toString(),
      perPod: perPod.toString(),
    })),
    charges: reviewed.after.flatMap((quota, index) => chargesOf(reviewed.before[index]!, quota)),
    undecided,
    notes,
  };
}

/** Causes from validation have more members than those of Kubernetes. */
function refusalResponse({ causes, ...refusal }: Refusal) {
  return { ...refusal, causes: causes.map(({ type, field, message }) => ({ type, field, message })) };
}

function outcomeOf({ wanted, admitted, refusal, undecided }: Reviewed): QuotaReviewResponse['outcome'] {
  if (refusal !== undefined) return admitted > 0 ? 'partly' : 'refused';
  if (wanted < 0) return 'frees';
  if (wanted === 0) return 'unchanged';
  return undecided.length > 0 ? 'unknown' : 'admitted';
}

function chargesOf(before: ResourceQuota, after: ResourceQuota): QuotaReviewResponse['charges'] {
  if (before === after) return [];
  const was = new Map(Object.entries(before.status?.used ?? {}));
  return Object.entries(after.status?.used ?? {}).flatMap(([resource, amount]) =>
    was.get(resource) === amount
      ? []
      : [{ quota: after.metadata.name, resource, before: was.get(resource) ?? '0', after: amount }],
  );
}
