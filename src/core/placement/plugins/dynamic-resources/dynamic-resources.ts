import { schedulerRequest } from '../../../resources/request-vector.js';
import { notBuilt } from '../../not-built.js';
import type { FilterPlugin } from '../../plugin.js';
import { podField } from '../../reason.js';
import { delegatedResources } from './delegated-resources.js';

export const NAME = 'DynamicResources';

/**
 * Resource claims, and extended resources that a DeviceClass stands behind. Not built yet: unknown for a pod with claims,
 * and for one that requests such a resource on the nodes that do not have it from a device plugin.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go.
 */
export const dynamicResources: FilterPlugin = {
  name: NAME,
  preFilter: ({ state, pod }) => {
    const needs = ['ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice', 'DeviceClass'] as const;
    if ((pod.spec.resourceClaims ?? []).length > 0) {
      const fields = [podField('spec', 'resourceClaims')];
      return notBuilt(state, { plugin: NAME, why: 'the pod has resource claims', fields, needs, mayRejectPod: true });
    }
    const requested = [...schedulerRequest(pod).scalars].filter(([, amount]) => amount > 0n).map(([name]) => name);
    const delegated = [...delegatedResources(state, requested)];
    if (delegated.length === 0) return { outcome: 'Skip' };
    return notBuilt(state, {
      plugin: NAME,
      why: `a device class may provide ${delegated.join(', ')}`,
      fields: [podField('spec', 'containers')],
      needs: ['ResourceSlice', 'ResourceClaim', 'DeviceClass'],
      mayRejectPod: true,
      concerns: (node) => delegated.some((resource) => state.nodes.allocatable.at(resource, node) <= 0),
    });
  },
};
