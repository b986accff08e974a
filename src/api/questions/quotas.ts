import { GetQuota } from '../../app/quotas/get-quota.js';
import { ListQuotaCapacity } from '../../app/quotas/list-quota-capacity.js';
import { ListQuotas } from '../../app/quotas/list-quotas.js';
import { questionFaults } from '../../app/quotas/quota-review-request.js';
import { ReviewQuotas } from '../../app/quotas/review-quotas.js';
import * as quotas from '../../contract/quotas/questions.js';
import { quotaReviewItemInput } from '../../contract/quotas/quota-review.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';
import { crossFieldErrors } from '../contract/object-classes.js';
import { deferredItems } from '../contract/deferred-items.js';
import { errorsInValid } from './check-errors.js';
import { partErrorResponse } from '../contract/part-error-response.js';

crossFieldErrors(quotaReviewItemInput, errorsInValid(questionFaults));

export const QUOTA_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(quotas.listQuotas, ListQuotas),
  answeredBy(quotas.getQuota, GetQuota),
  answeredBy(quotas.listQuotaCapacity, ListQuotaCapacity),
  answeredBy(quotas.reviewQuotas, ReviewQuotas, {
    ask: async (reviewQuotas, request, context) => {
      const items = deferredItems(quotaReviewItemInput, request.items);
      const answer = await reviewQuotas.run({ ...request, items }, context);
      return {
        ...answer,
        items: answer.items.map((item) => ({
          ...item,
          error: item.error === null ? null : partErrorResponse(item.error),
        })),
      };
    },
  }),
];
