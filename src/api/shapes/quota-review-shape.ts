import { QUOTA_BASIS, quotaReviewItemInput, quotaReviewAnswerResponse } from '../../contract/quotas/quota-review.js';
import { responseClass, requestClass, crossFieldErrors } from '../contract/object-classes.js';
import type { Response, Request } from '../../contract/schema.js';
import { questionFaults, type QuotaBasis, type QuotaReviewQuestion } from '../../app/quotas/quota-review-request.js';
import type { QuotaReviewAnswer } from '../../app/quotas/review-quotas.js';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import { partErrorShape } from './part-error-shape.js';
import type { Plain } from './plain.js';

export { QUOTA_BASIS };

export const QuotaReviewItemBody = requestClass(quotaReviewItemInput);
export type QuotaReviewItemBody = Request<typeof quotaReviewItemInput>;
crossFieldErrors(
  quotaReviewItemInput,
  function ({ namespace, pod, workloadRef, replicas }: QuotaReviewItemBody): ErrorDetail[] {
    const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
    return [
      ...questionFaults({
        ...(typeof namespace === 'string' ? { namespace } : {}),
        ...(isObject(pod) ? { pod } : {}),
        ...(isObject(workloadRef) && typeof workloadRef?.kind === 'string' ? { workloadRef } : {}),
        ...(typeof replicas === 'number' ? { replicas } : {}),
      }),
    ];
  },
);

export function quotaQuestionOf({ namespace, pod, workloadRef, replicas }: QuotaReviewItemBody): QuotaReviewQuestion {
  return { namespace, pod, workloadRef, replicas };
}

export type { QuotaBasis };

export const QuotaReviewAnswerShape = responseClass(quotaReviewAnswerResponse);
export type QuotaReviewAnswerShape = Response<typeof quotaReviewAnswerResponse>;

export function quotaReviewAnswer({ basis, items }: QuotaReviewAnswer): Plain<QuotaReviewAnswerShape> {
  return {
    basis,
    items: items.map(({ id, review, error }) => ({ id, review, error: error === null ? null : partErrorShape(error) })),
  };
}
