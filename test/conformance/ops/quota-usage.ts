import { DEFAULT_RULES } from '../../../src/core/kubernetes/kubernetes-rules.js';
import { isActiveForQuota, podQuotaUsage } from '../../../src/core/quota/pod-usage.js';
import type { Op } from '../op.js';
import { podInVector } from './pod-in-vector.js';
import { listedAmounts } from './pod-resources-in-vector.js';

/** `{pod, now}` -> `{list, milli, active}`. */
export const quotaUsage: Op = {
  answer: (input) => {
    const pod = podInVector(input);
    const now = Date.parse(input['now'] as string);
    return { ...listedAmounts(podQuotaUsage(pod, now, DEFAULT_RULES)), active: isActiveForQuota(pod, now) };
  },
};
