import type { Pod } from '../../kubernetes/objects/pod.js';
import { isSidecar } from '../../kubernetes/pod-resources/aggregate-containers.js';
import { hasPodLevelResources } from '../../kubernetes/pod-resources/pod-level-resources.js';
import {
  addAmounts,
  parseResourceList,
  type ResourceAmounts,
} from '../../kubernetes/pod-resources/resource-amounts.js';

/** Whether the pod as a whole has limits for cpu and memory. */
export interface DeclaredLimits {
  readonly cpu: boolean;
  readonly memory: boolean;
  /** The containers whose missing limits make the pod unlimited, in the order in which they are added. */
  readonly missing: readonly { readonly container: string; readonly resource: 'cpu' | 'memory' }[];
}

const LIMITED = ['cpu', 'memory'] as const;

/**
 * Whether every container has a limit; otherwise the kubelet sets no limit for the pod's own cgroup.
 *
 * The limits of sidecars are added to those of later init containers before the check, so an init container after a limited
 * sidecar does not need its own. A pod-level limit other than zero covers all containers.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubelet/cm/helpers_linux.go, `ResourceConfigForPod`, via `ContainerFn` in
 * k8s.io/component-helpers v0.36.2, resource/helpers.go.
 *
 * @throws QuantityError for an invalid quantity
 */
export function declaredLimits(pod: Pick<Pod, 'spec'>): DeclaredLimits {
  const { containers, initContainers = [], resources } = pod.spec;
  const missing: DeclaredLimits['missing'][number][] = [];
  const look = (container: string, limits: ResourceAmounts): void => {
    for (const resource of LIMITED) {
      if (limits.get(resource)?.isZero() ?? true) missing.push({ container, resource });
    }
  };
  for (const { name, resources: own } of containers) look(name, parseResourceList(own?.limits));
  const sidecars: ResourceAmounts = new Map();
  for (const container of initContainers) {
    const limits = parseResourceList(container.resources?.limits);
    if (isSidecar(container)) addAmounts(sidecars, limits);
    else addAmounts(limits, sidecars);
    look(container.name, isSidecar(container) ? sidecars : limits);
  }
  const ofPod = hasPodLevelResources(pod) ? parseResourceList(resources?.limits) : new Map<string, never>();
  const left = missing.filter(({ resource }) => ofPod.get(resource)?.isZero() ?? true);
  const isDeclared = (wanted: string): boolean => left.every(({ resource }) => resource !== wanted);
  return { cpu: isDeclared('cpu'), memory: isDeclared('memory'), missing: left };
}
