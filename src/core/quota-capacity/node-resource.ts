import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import { podQuotaResources, POD_OBJECT_COUNT, REQUESTS_PREFIX } from '../quota/quota-resources.js';

/**
 * The node resource that a quota resource consumes: `cpu` for both `requests.cpu` and `cpu`; undefined for what nodes
 * do not limit, such as limits and counts of other objects.
 */
export function nodeResource(resource: string, rules: KubernetesRules): string | undefined {
  const isOfPods = podQuotaResources([resource], rules).length > 0;
  if (resource === POD_OBJECT_COUNT || resource.startsWith('limits.') || !isOfPods) {
    return undefined;
  }
  return resource.startsWith(REQUESTS_PREFIX) ? resource.slice(REQUESTS_PREFIX.length) : resource;
}
