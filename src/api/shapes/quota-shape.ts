import { quota, quotaPod, NOT_LOADED } from '../../contract/quotas/quota.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const QuotaShape = responseClass(quota);
export type QuotaShape = Response<typeof quota>;

export const QuotaPodShape = responseClass(quotaPod);
export type QuotaPodShape = Response<typeof quotaPod>;

export { NOT_LOADED };
