import { quotaCapacity, ASSUMPTIONS } from '../../contract/quotas/quota-capacity.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const QuotaCapacityShape = responseClass(quotaCapacity);
export type QuotaCapacityShape = Response<typeof quotaCapacity>;

export { ASSUMPTIONS };
