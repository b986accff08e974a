import type { Volume } from '../../kubernetes/objects/pod.js';

/** A disk named in the pod itself of which two pods on a node may be in each other's way. */
export const isExclusiveDisk = (volume: Volume): boolean =>
  volume.gcePersistentDisk !== undefined ||
  volume.awsElasticBlockStore !== undefined ||
  volume.iscsi !== undefined ||
  volume.rbd !== undefined;

/**
 * Whether two pods with these volumes cannot be on one node: they name the same disk, and not both read-only (which does not help
 * with AWS). iSCSI disks are told apart by their IQN alone, RBD images by pool, image and a monitor in common.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/volumerestrictions, `isVolumeConflict`.
 */
export function conflicts(one: Volume, other: Volume): boolean {
  const { gcePersistentDisk: gce, awsElasticBlockStore: aws, iscsi, rbd } = one;
  const { gcePersistentDisk: otherGce, iscsi: otherIscsi, rbd: otherRbd } = other;
  if (gce !== undefined && otherGce !== undefined && gce.pdName === otherGce.pdName && !bothReadOnly(gce, otherGce)) {
    return true;
  }
  if (aws !== undefined && aws.volumeID === other.awsElasticBlockStore?.volumeID) return true;
  if (iscsi !== undefined && otherIscsi !== undefined && iscsi.iqn === otherIscsi.iqn) {
    if (!bothReadOnly(iscsi, otherIscsi)) return true;
  }
  return (
    rbd !== undefined &&
    otherRbd !== undefined &&
    rbd.monitors.some((monitor) => otherRbd.monitors.includes(monitor)) &&
    (rbd.pool ?? '') === (otherRbd.pool ?? '') &&
    rbd.image === otherRbd.image &&
    !bothReadOnly(rbd, otherRbd)
  );
}

interface ReadOnly {
  readonly readOnly?: boolean;
}

const bothReadOnly = (one: ReadOnly, other: ReadOnly): boolean => one.readOnly === true && other.readOnly === true;
