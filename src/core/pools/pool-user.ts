import type { Namespace } from '../kubernetes/objects/namespace.js';
import type { Container, Pod, PodSpec } from '../kubernetes/objects/pod.js';
import { parseQuantity, QuantityError } from '../kubernetes/quantity.js';
import type { Pool } from './pool.js';

/** The fields of a pod that are read; its namespace is in its metadata. */
export type PoolPod = Pick<Pod, 'metadata' | 'spec'>;

/**
 * Whether a pod is among a pool's users, and by which rule; `unknown` if this depends on the labels of an unknown
 * namespace.
 */
export type PoolUse =
  | { readonly verdict: 'yes'; readonly by: string }
  | { readonly verdict: 'no' }
  | { readonly verdict: 'unknown'; readonly missing: string };

/**
 * Whether a pod may use a pool: because of its namespace, its service account, or an extended resource that one of its
 * containers requests, whichever matches first.
 *
 * @param namespace the pod's; undefined if it is not known
 */
export function mayUse(pool: Pool, pod: PoolPod, namespace: Namespace | undefined): PoolUse {
  const { namespaces, serviceAccounts, extendedResource } = pool.users;
  const name = pod.metadata.namespace ?? 'default';
  if (namespaces?.includes(name) === true) return { verdict: 'yes', by: `namespace ${name}` };
  const account = `${name}/${accountOf(pod.spec)}`;
  if (serviceAccounts?.includes(account) === true) return { verdict: 'yes', by: `service account ${account}` };
  if (extendedResource !== undefined && asksFor(pod.spec, extendedResource)) {
    return { verdict: 'yes', by: `a request for ${extendedResource}` };
  }
  const { namespaceSelector } = pool;
  if (namespaceSelector === undefined) return { verdict: 'no' };
  if (namespace === undefined) return { verdict: 'unknown', missing: `the labels of namespace ${name}` };
  // Every namespace has this label, even if the stored object lacks it.
  return namespaceSelector.matches({ ...namespace.metadata.labels, 'kubernetes.io/metadata.name': name })
    ? { verdict: 'yes', by: `the labels of namespace ${name}` }
    : { verdict: 'no' };
}

/** A pod without a service account name runs as `default`. */
export const accountOf = ({ serviceAccountName = '' }: PodSpec): string =>
  serviceAccountName === '' ? 'default' : serviceAccountName;

/** Whether the amount is above zero: a request of 0 gets no device. */
function asksFor({ containers, initContainers = [] }: PodSpec, resource: string): boolean {
  return [...containers, ...initContainers].some((container) => {
    const amount = amountOf(container, resource);
    return amount !== undefined && isPositive(amount);
  });
}

/** A limit without a request becomes the request. */
function amountOf({ resources }: Container, resource: string): string | undefined {
  for (const list of [resources?.requests, resources?.limits]) {
    if (list !== undefined && Object.hasOwn(list, resource)) return list[resource];
  }
  return undefined;
}

function isPositive(amount: string): boolean {
  try {
    return parseQuantity(amount).sign() > 0;
  } catch (error) {
    // The API server refuses an invalid quantity.
    if (error instanceof QuantityError) return false;
    throw error;
  }
}
