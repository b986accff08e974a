import type { Pod } from '../../kubernetes/objects/pod.js';
import { isSidecar } from '../../kubernetes/pod-resources/aggregate-containers.js';
import { hasPodLevelResources } from '../../kubernetes/pod-resources/pod-level-resources.js';
import {
  addAmounts,
  parseResourceList,
  type ResourceAmounts,
} from '../../kubernetes/pod-resources/resource-amounts.js';

/** Whether the pod as a whole is limited in cpu and in memory. */
export interface DeclaredLimits {
  readonly cpu: boolean;
  readonly memory: boolean;
  /** The containers without a limit of their own that leave the pod unlimited, in the order in which they are summed. */
  readonly missing: readonly { readonly container: string; readonly resource: 'cpu' | 'memory' }[];
}

const LIMITED = ['cpu', 'memory'] as const;

/**
 * Whether every container has a limit, without which the kubelet leaves the pod's own cgroup unlimited.
 *
 * The limits of sidecars are added to those of the init containers after them before the question is put, so an init
 * container behind a limited sidecar needs none of its own. A pod-level limit that is not zero counts for all.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubelet/cm/helpers_linux.go, `ResourceConfigForPod`, by way of `ContainerFn` in
 * k8s.io/component-helpers v0.36.2, resource/helpers.go.
 *
 * @throws QuantityError for a text that is no quantity
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
