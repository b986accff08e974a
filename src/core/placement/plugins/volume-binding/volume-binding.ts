import { notBuilt } from '../../not-built.js';
import { usesClaim, usesEphemeralClaim, volumeFields } from '../../pod-volumes.js';
import type { FilterPlugin } from '../../plugin.js';

export const NAME = 'VolumeBinding';

/**
 * Claims must be bound to, or bindable from, the node. Not built yet: unknown for a pod that has one.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/volumebinding.
 */
export const volumeBinding: FilterPlugin = {
  name: NAME,
  preFilter: ({ state, pod }) => {
    const fields = volumeFields(pod, (volume) => usesClaim(volume) || usesEphemeralClaim(volume));
    if (fields.length === 0) return { outcome: 'Skip' };
    return notBuilt(state, {
      plugin: NAME,
      why: 'the pod uses a claim, whose volume may be bound to some nodes only',
      fields,
      needs: [
        'PersistentVolumeClaim',
        'PersistentVolume',
        'StorageClass',
        'CSINode',
        'CSIDriver',
        'CSIStorageCapacity',
      ],
      mayRejectPod: true,
    });
  },
};
