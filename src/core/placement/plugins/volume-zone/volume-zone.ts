import { notBuilt } from '../../not-built.js';
import { usesClaim, volumeFields } from '../../pod-volumes.js';
import type { FilterPlugin } from '../../plugin.js';

export const NAME = 'VolumeZone';

/**
 * The zones of bound volumes must be the node's. Not built yet: unknown for a pod with a claim.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/volumezone.
 */
export const volumeZone: FilterPlugin = {
  name: NAME,
  preFilter: ({ state, pod }) => {
    const fields = volumeFields(pod, (volume) => usesClaim(volume));
    if (fields.length === 0) return { outcome: 'Skip' };
    return notBuilt(state, {
      plugin: NAME,
      why: 'the pod uses a claim, whose volume may lie in another zone',
      fields,
      needs: ['PersistentVolumeClaim', 'PersistentVolume', 'StorageClass'],
      mayRejectPod: true,
    });
  },
};
