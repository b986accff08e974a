import { podQuotaResources, POD_OBJECT_COUNT, REQUESTS_PREFIX } from '../quota/quota-resources.js';

/**
 * The resource of nodes that a resource of a quota is taken from: `requests.cpu` and `cpu` both from `cpu`; undefined for what nodes
 * do not bound, such as limits and counts of other objects.
 */
export function nodeResource(resource: string): string | undefined {
  if (resource === POD_OBJECT_COUNT || resource.startsWith('limits.') || podQuotaResources([resource]).length === 0) {
    return undefined;
  }
  return resource.startsWith(REQUESTS_PREFIX) ? resource.slice(REQUESTS_PREFIX.length) : resource;
}
