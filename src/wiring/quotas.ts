import { GetQuota } from '../app/quotas/get-quota.js';
import { ListQuotaCapacity } from '../app/quotas/list-quota-capacity.js';
import { ListQuotas } from '../app/quotas/list-quotas.js';
import { ReviewQuotas } from '../app/quotas/review-quotas.js';
import { ReadState } from '../app/reads/read-state.js';
import { DerivedStateCache } from '../app/states/derived-state-cache.js';
import { made } from './made.js';

export const QUOTAS = [
  made(ListQuotas, ReadState, DerivedStateCache),
  made(GetQuota, ReadState, DerivedStateCache),
  made(ReviewQuotas, ReadState, DerivedStateCache),
  made(ListQuotaCapacity, ReadState, DerivedStateCache),
];
