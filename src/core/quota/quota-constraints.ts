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
  const missing = unspecifiedResources(pod, tracked).map(
    ({ resource, containers }) => `${resource} for: ${[...new Set(containers)].sort().join(',')}`,
  );
  return missing.length === 0 ? undefined : `must specify ${missing.join('; ')}`;
}

/** What a quota demands of containers that do not have it. */
export interface UnspecifiedResource {
  /** As a quota calls it: `cpu`, `requests.cpu`, `limits.cpu`. */
  readonly resource: string;
  /** Names of those without it, init containers last. */
  readonly containers: readonly string[];
}

/** What {@link quotaConstraints} complains of, by the names of resources. */
export function unspecifiedResources(
  pod: Pick<Pod, 'spec'>,
  tracked: Iterable<string>,
): readonly UnspecifiedResource[] {
  if (hasPodLevelResources(pod)) return [];
  const demanded = [...new Set(tracked)].filter((name) => DEMANDED.has(name)).sort();
  if (demanded.length === 0) return [];
  const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].map(namedResources);
  return demanded.flatMap((resource) => {
    const without = containers.filter(({ resources }) => !resources.has(resource)).map(({ name }) => name);
    return without.length === 0 ? [] : [{ resource, containers: without }];
  });
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
