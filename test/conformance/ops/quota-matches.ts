import { DEFAULT_RULES } from '../../../src/core/kubernetes/kubernetes-rules.js';
import type { ResourceQuota } from '../../../src/core/kubernetes/objects/quota.js';
import { podQuotaUsage } from '../../../src/core/quota/pod-usage.js';
import { quotaApplies, quotaFit } from '../../../src/core/quota/quota-match.js';
import { podQuotaResources } from '../../../src/core/quota/quota-resources.js';
import { scopeFactsOf } from '../../../src/core/quota/scopes.js';
import type { Op } from '../op.js';
import { podInVector } from './pod-in-vector.js';

/** `{quota, pod, now}` -> `{matches, matchingResources, requested, fits, exceeded}`. */
export const quotaMatches: Op = {
  answer: (input) => {
    const quota = input['quota'] as unknown as ResourceQuota;
    const pod = podInVector(input);
    const matches = quotaApplies(quota, scopeFactsOf(pod), DEFAULT_RULES);
    const { requested, exceeded } = quotaFit(
      quota,
      podQuotaUsage(pod, Date.parse(input['now'] as string), DEFAULT_RULES),
    );
    return {
      matches,
      matchingResources: podQuotaResources(Object.keys(quota.status?.hard ?? {}), DEFAULT_RULES).sort(),
      requested: Object.fromEntries([...requested].map(([name, amount]) => [name, amount.toString()])),
      fits: exceeded.length === 0,
      exceeded,
    };
  },
};
