import { notBuilt } from '../../not-built.js';
import { isExclusiveDisk, usesClaim, volumeFields } from '../../pod-volumes.js';
import type { FilterPlugin } from '../../plugin.js';

export const NAME = 'VolumeRestrictions';

/**
 * Disks that cannot be shared, and ReadWriteOncePod claims. Not built yet: unknown for a pod that has either.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/volumerestrictions.
 */
export const volumeRestrictions: FilterPlugin = {
  name: NAME,
  preFilter: ({ state, pod }) => {
    const fields = volumeFields(pod, (volume) => usesClaim(volume) || isExclusiveDisk(volume));
    if (fields.length === 0) return { outcome: 'Skip' };
    return notBuilt(state, {
      plugin: NAME,
      why: 'the pod uses a claim, or a disk that pods cannot share',
      fields,
      needs: ['PersistentVolumeClaim'],
      mayRejectPod: true,
    });
  },
};
