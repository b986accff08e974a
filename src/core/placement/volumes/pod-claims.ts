import { controllerOf } from '../../kubernetes/controller-of.js';
import type { ClusterState } from '../../cluster/cluster-state.js';
import type { Pod, Volume } from '../../kubernetes/objects/pod.js';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from '../../kubernetes/objects/storage.js';
import { podField, type FieldReference } from '../reason.js';

/** A volume of a pod that stands for a claim. */
export interface ClaimVolume {
  readonly claimName: string;
  /** The pod's own claim, made from a template in it. */
  readonly isEphemeral: boolean;
  readonly field: FieldReference;
}

type ClaimParts = Pick<Pod, 'spec'> & { readonly metadata: { readonly name: string } };

/** The volumes of a pod that stand for claims, in order. A claim of its own is named after the pod and the volume. */
export function claimVolumes({ spec, metadata }: ClaimParts): readonly ClaimVolume[] {
  return (spec.volumes ?? []).flatMap((volume, index): readonly ClaimVolume[] => {
    const claimName = claimNameOf(volume, metadata.name);
    if (claimName === undefined) return [];
    const isEphemeral = volume.persistentVolumeClaim === undefined;
    return [{ claimName, isEphemeral, field: podField('spec', 'volumes', index) }];
  });
}

/** The name of the claim that a volume stands for; undefined for every other volume. */
export function claimNameOf(volume: Volume, podName: string): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName;
  return volume.ephemeral === undefined ? undefined : `${podName}-${volume.name}`;
}

/** What Kubernetes says of an object that is not there. */
export const notFound = (
  resource: 'persistentvolumeclaim' | 'persistentvolume' | 'storageclass.storage.k8s.io',
  name: string,
): string => `${resource} ${JSON.stringify(name)} not found`;

/**
 * What Kubernetes says of a claim by the name of a pod's own one that does not belong to the pod; undefined where it does.
 *
 * Source: k8s.io/component-helpers v0.36.2, storage/ephemeral, `VolumeIsForPod`.
 */
export function notOwned(
  claim: PersistentVolumeClaim,
  pod: { readonly name: string; readonly namespace: string; readonly uid: string },
): string | undefined {
  const owner = controllerOf(claim.metadata.ownerReferences);
  if (owner !== undefined && (owner.uid ?? '') === pod.uid) return undefined;
  const { name, namespace = '' } = claim.metadata;
  return `PVC ${namespace}/${name} was not created for pod ${pod.namespace}/${pod.name} (pod is not owner)`;
}

/** The stored objects about volumes, by name. */
export class VolumeObjects {
  constructor(private readonly state: ClusterState) {}

  claim(namespace: string, name: string): PersistentVolumeClaim | undefined {
    return this.state.find('PersistentVolumeClaim', namespace, name) as PersistentVolumeClaim | undefined;
  }

  volume(name: string): PersistentVolume | undefined {
    return this.state.find('PersistentVolume', undefined, name) as PersistentVolume | undefined;
  }

  storageClass(name: string): StorageClass | undefined {
    return this.state.find('StorageClass', undefined, name) as StorageClass | undefined;
  }

  csiNode(name: string): CSINode | undefined {
    return this.state.find('CSINode', undefined, name) as CSINode | undefined;
  }

  csiDriver(name: string): CSIDriver | undefined {
    return this.state.find('CSIDriver', undefined, name) as CSIDriver | undefined;
  }

  get volumes(): readonly PersistentVolume[] {
    return this.state.objects('PersistentVolume') as readonly PersistentVolume[];
  }

  get capacities(): readonly CSIStorageCapacity[] {
    return this.state.objects('CSIStorageCapacity') as readonly CSIStorageCapacity[];
  }

  get attachments(): readonly VolumeAttachment[] {
    return this.state.objects('VolumeAttachment') as readonly VolumeAttachment[];
  }
}

/** The class of a claim: what the old annotation says, else the field, else none (`GetPersistentVolumeClaimClass`). */
export function classOfClaim({ metadata, spec }: PersistentVolumeClaim): string {
  return annotation(metadata.annotations) ?? spec?.storageClassName ?? '';
}

/** The same of a volume. */
export function classOfVolume({ metadata, spec }: PersistentVolume): string {
  return annotation(metadata.annotations) ?? spec?.storageClassName ?? '';
}

const CLASS = 'volume.beta.kubernetes.io/storage-class';

const annotation = (annotations: Readonly<Record<string, string>> = {}): string | undefined =>
  Object.hasOwn(annotations, CLASS) ? annotations[CLASS] : undefined;
