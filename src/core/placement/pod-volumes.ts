import type { Pod, Volume } from '../kubernetes/objects/pod.js';
import { podField, type FieldReference } from './reason.js';

/** The places of the pod's volumes that a test picks. */
export function volumeFields(pod: Pod, picks: (volume: Volume) => boolean): readonly FieldReference[] {
  return (pod.spec.volumes ?? []).flatMap((volume, index) =>
    picks(volume) ? [podField('spec', 'volumes', index)] : [],
  );
}

export const usesClaim = (volume: Volume): boolean => volume.persistentVolumeClaim !== undefined;

/** A claim of its own that the pod's volume is a template of. */
export const usesEphemeralClaim = (volume: Volume): boolean => volume.ephemeral !== undefined;

/** A disk named in the pod itself of which two pods on a node may be in each other's way. */
export const isExclusiveDisk = (volume: Volume): boolean =>
  volume.gcePersistentDisk !== undefined ||
  volume.awsElasticBlockStore !== undefined ||
  volume.iscsi !== undefined ||
  volume.rbd !== undefined;

/** A disk named in the pod itself that counts against a node's limit of attached volumes. */
export const isLimitedDisk = (volume: Volume): boolean =>
  volume.gcePersistentDisk !== undefined ||
  volume.awsElasticBlockStore !== undefined ||
  volume.azureDisk !== undefined ||
  volume.cinder !== undefined;
