import type { ClusterState } from '../../../cluster/cluster-state.js';
import { classesByResource } from '../../../devices/extended-resources.js';
import type { DeviceClass } from '../../../kubernetes/objects/dra.js';
import { DEVICE_CLASS_PREFIX } from '../../../kubernetes/resource-names.js';

/**
 * Which of the resources a DeviceClass stands behind, so that on nodes which have none of it the DynamicResources plugin
 * decides and not NodeResourcesFit (`shouldDelegateResourceToDRA`; the gate DRAExtendedResource is on since 1.36).
 *
 * Where DeviceClasses were never loaded, only a resource that is named after one counts.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/noderesources/fit.go.
 */
export function delegatedResources(state: ClusterState, resources: Iterable<string>): ReadonlySet<string> {
  if (!state.rules.featureGates.DRAExtendedResource) return new Set();
  const asked = [...resources];
  if (!state.loadedKinds.has('DeviceClass')) {
    return new Set(asked.filter((resource) => resource.startsWith(DEVICE_CLASS_PREFIX)));
  }
  if (asked.length === 0) return new Set();
  const classes = classesByResource(state.objects('DeviceClass') as readonly DeviceClass[]);
  return new Set(asked.filter((resource) => classes.has(resource)));
}
