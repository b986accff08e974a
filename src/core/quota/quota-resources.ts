import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import { DEVICE_CLASS_PREFIX, isNativeResource } from '../kubernetes/resource-names.js';

/** Charged for every stored pod, ended or not (`generic.ObjectCountQuotaResourceNameFor`). */
export const POD_OBJECT_COUNT = 'count/pods';

export const REQUESTS_PREFIX = 'requests.';

const POD_RESOURCES: ReadonlySet<string> = new Set([
  POD_OBJECT_COUNT,
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
]);

const PREFIXES = ['hugepages-', 'requests.hugepages-'] as const;

/**
 * The resources of a quota that pods are charged to (`podEvaluator.MatchingResources`, k8s.io/kubernetes v1.36.2,
 * pkg/quota/v1/evaluator/core/pods.go): first the ones known by name, then hugepages and extended resources, each group
 * in byte order.
 *
 * An extended resource counts only as `requests.example.com/gpu`; `example.com/gpu` limits nothing. One that is named after a DeviceClass
 * counts since 1.35.
 */
export function podQuotaResources(names: Iterable<string>, rules: KubernetesRules): string[] {
  const sorted = [...new Set(names)].sort();
  const matching = sorted.filter((name) => POD_RESOURCES.has(name));
  for (const name of sorted) {
    if (PREFIXES.some((prefix) => name.startsWith(prefix))) matching.push(name);
    // A name may be both, and upstream then lists it twice.
    if (isExtendedResourceOfQuota(name, rules)) matching.push(name);
  }
  return matching;
}

function isExtendedResourceOfQuota(name: string, { minor }: KubernetesRules): boolean {
  return (
    name.startsWith(REQUESTS_PREFIX) &&
    (!isNativeResource(name) || (minor >= 35 && name.startsWith(`${REQUESTS_PREFIX}${DEVICE_CLASS_PREFIX}`)))
  );
}
