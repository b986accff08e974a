import type { quotaRaise } from '../../contract/quotas/quota-review.js';
import type { Response } from '../../contract/schema.js';
import type { QuotaRaise } from '../../core/quota-review/quota-room.js';

/** A limit of a quota that has to be raised, with a text. */
export type QuotaRaiseResponse = Response<typeof quotaRaise>;

export function quotaRaiseResponse({ quota, resource, ...amounts }: QuotaRaise): QuotaRaiseResponse {
  const [from, to] = [amounts.from.toString(), amounts.to.toString()];
  return { quota, resource, from, to, text: `${quota} ${resource} ${from} -> ${to}` };
}
