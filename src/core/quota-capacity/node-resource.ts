import { podQuotaResources, POD_OBJECT_COUNT, REQUESTS_PREFIX } from '../quota/quota-resources.js';

/**
 * The node resource that a quota resource consumes: `cpu` for both `requests.cpu` and `cpu`; undefined for what nodes
 * do not limit, such as limits and counts of other objects.
 */
export function nodeResource(resource: string): string | undefined {
  if (resource === POD_OBJECT_COUNT || resource.startsWith('limits.') || podQuotaResources([resource]).length === 0) {
    return undefined;
  }
  return resource.startsWith(REQUESTS_PREFIX) ? resource.slice(REQUESTS_PREFIX.length) : resource;
}
