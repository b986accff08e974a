import type { ResourceList } from '../kubernetes/objects/meta.js';
import type { Container, Pod } from '../kubernetes/objects/pod.js';
import { hasPodLevelResources } from '../kubernetes/pod-resources/pod-level-resources.js';
import { containerQuotaResources } from './pod-usage.js';

/** The resources that every container must specify once a quota tracks them. */
const DEMANDED: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
]);

/**
 * Why a pod may not be charged to a quota that tracks these resources, as Kubernetes' message; undefined if it may
 * (`podEvaluator.Constraints`, k8s.io/kubernetes v1.36.2, pkg/quota/v1/evaluator/core/pods.go).
 *
 * Each container and init container must have a request, or limit, for cpu and memory if the quota tracks it; zero is
 * allowed. A pod with pod-level requests or limits need not. Ephemeral storage, hugepages and extended resources are
 * never required.
 */
export function quotaConstraints(pod: Pick<Pod, 'spec'>, tracked: Iterable<string>): string | undefined {
  if (hasPodLevelResources(pod)) return undefined;
  const demanded = [...new Set(tracked)].filter((name) => DEMANDED.has(name)).sort();
  if (demanded.length === 0) return undefined;
  const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].map(namedResources);
  const missing = demanded.flatMap((resource) => {
    const without = containers.filter(({ resources }) => !resources.has(resource)).map(({ name }) => name);
    return without.length === 0 ? [] : [`${resource} for: ${[...new Set(without)].sort().join(',')}`];
  });
  return missing.length === 0 ? undefined : `must specify ${missing.join('; ')}`;
}

function namedResources({ name, resources }: Container): {
  readonly name: string;
  readonly resources: ReadonlySet<string>;
} {
  return { name, resources: containerQuotaResources(demandable(resources?.requests), demandable(resources?.limits)) };
}

/** The resources of a list that can be required. */
function demandable(list: ResourceList = {}): ResourceList {
  return Object.fromEntries(
    ['cpu', 'memory'].filter((name) => Object.hasOwn(list, name)).map((name) => [name, list[name]!]),
  );
}
