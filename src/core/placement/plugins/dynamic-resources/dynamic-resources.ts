import { schedulerRequest } from '../../../resources/request-vector.js';
import { notKnown } from '../../not-known.js';
import type { FilterPlugin } from '../../plugin.js';
import { podField, type FieldReference, type Reason } from '../../reason.js';
import { delegatedResources } from './delegated-resources.js';

export const NAME = 'DynamicResources';

/**
 * Resource claims, and extended resources that a DeviceClass stands behind. The allocation of devices is not built: unknown for a
 * pod with claims, and for one that requests such a resource on the nodes that do not have it from a device plugin.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go.
 */
export const dynamicResources: FilterPlugin = {
  name: NAME,
  preFilter: ({ state, pod }) => {
    if ((pod.spec.resourceClaims ?? []).length > 0) {
      return notKnown(notImplemented('the pod has resource claims', podField('spec', 'resourceClaims')));
    }
    const requested = [...schedulerRequest(pod).scalars].filter(([, amount]) => amount > 0n).map(([name]) => name);
    const delegated = [...delegatedResources(state, requested)];
    if (delegated.length === 0) return { outcome: 'Skip' };
    return notKnown(
      notImplemented(`a device class may provide ${delegated.join(', ')}`, podField('spec', 'containers')),
      (node) => delegated.some((resource) => state.nodes.allocatable.at(resource, node) <= 0),
    );
  },
};

const notImplemented = (why: string, field: FieldReference): Reason => ({
  plugin: NAME,
  code: 'NotImplemented',
  status: 'Unknown',
  message: `${NAME} cannot be evaluated: ${why}, and the service does not compute which devices could be allocated`,
  facts: {},
  fields: [field],
});
