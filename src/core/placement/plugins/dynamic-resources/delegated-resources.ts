import type { ClusterState } from '../../../cluster/cluster-state.js';
import type { KubernetesObject } from '../../../kubernetes/objects/meta.js';

/** The prefix under which every DeviceClass is an extended resource by its own name. */
export const DEVICE_CLASS_PREFIX = 'deviceclass.resource.kubernetes.io/';

/**
 * Which of the resources a DeviceClass stands behind, so that on nodes which have none of it the DynamicResources plugin
 * decides and not NodeResourcesFit (`shouldDelegateResourceToDRA`; the gate DRAExtendedResource is on since 1.36).
 *
 * Where DeviceClasses were never loaded, only a resource that is named after one counts.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/noderesources/fit.go and
 * pkg/scheduler/framework/plugins/dynamicresources/extended/extendedresourcecache.
 */
export function delegatedResources(state: ClusterState, resources: Iterable<string>): ReadonlySet<string> {
  const loaded = state.loadedKinds.has('DeviceClass');
  const found = new Set<string>();
  let classes: ReadonlySet<string> | undefined;
  for (const resource of resources) {
    if (!loaded) {
      if (resource.startsWith(DEVICE_CLASS_PREFIX)) found.add(resource);
      continue;
    }
    classes ??= resourcesOfClasses(state.objects('DeviceClass'));
    if (classes.has(resource)) found.add(resource);
  }
  return found;
}

function resourcesOfClasses(classes: readonly KubernetesObject[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { metadata, spec } of classes as readonly DeviceClass[]) {
    names.add(`${DEVICE_CLASS_PREFIX}${metadata.name}`);
    if (spec?.extendedResourceName !== undefined) names.add(spec.extendedResourceName);
  }
  return names;
}

interface DeviceClass extends KubernetesObject {
  readonly spec?: { readonly extendedResourceName?: string };
}
