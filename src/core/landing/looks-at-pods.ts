import type { PodSpec } from '../kubernetes/objects/pod.js';
import { isExclusiveDisk } from '../placement/volumes/exclusive-disk.js';
import { isMigratable } from '../placement/volumes/in-tree-volume.js';

/**
 * Whether where a pod can go hangs on other pods by more than the room and the ports that they take: by their labels, or by the
 * volumes that they use.
 */
export function looksAtPods(spec: PodSpec): boolean {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  return (
    (spec.topologySpreadConstraints ?? []).some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule') ||
    [podAffinity, podAntiAffinity].some(
      (terms) => (terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0,
    ) ||
    usesVolumes(spec)
  );
}

/** Whether some filter looks at the pod's volumes. */
export const usesVolumes = ({ volumes = [] }: PodSpec): boolean =>
  volumes.some(
    (volume) =>
      volume.persistentVolumeClaim !== undefined ||
      volume.ephemeral !== undefined ||
      isExclusiveDisk(volume) ||
      isMigratable(volume),
  );

/** Whether the pod gets claims of its own, that are made from templates in it. */
export const hasOwnClaims = ({ volumes = [] }: PodSpec): boolean =>
  volumes.some(
    ({ ephemeral, persistentVolumeClaim }) => ephemeral !== undefined && persistentVolumeClaim === undefined,
  );
