import { notBuilt } from '../../not-built.js';
import { isLimitedDisk, usesClaim, usesEphemeralClaim, volumeFields } from '../../pod-volumes.js';
import type { FilterPlugin } from '../../plugin.js';

export const NAME = 'NodeVolumeLimits';

/**
 * How many volumes a node may attach. Not built yet: unknown for a pod with a volume that counts.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/nodevolumelimits.
 */
export const nodeVolumeLimits: FilterPlugin = {
  name: NAME,
  preFilter: ({ state, pod }) => {
    const fields = volumeFields(
      pod,
      (volume) => usesClaim(volume) || usesEphemeralClaim(volume) || isLimitedDisk(volume),
    );
    if (fields.length === 0) return { outcome: 'Skip' };
    return notBuilt(state, {
      plugin: NAME,
      why: 'the pod uses a volume that counts against the number a node may attach',
      fields,
      needs: ['PersistentVolumeClaim', 'PersistentVolume', 'StorageClass', 'CSINode', 'CSIDriver', 'VolumeAttachment'],
      mayRejectPod: true,
    });
  },
};
