import type { Int64, KubernetesObject, QuantityString, ResourceList } from './meta.js';
import type { LabelSelector, NodeSelector } from './selectors.js';

/** `v1.ObjectReference`, with the fields that identify an object. */
export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
}

/** `v1.PersistentVolumeSource`, with the fields that identify the volume; an empty object shows only the type. */
export interface PersistentVolumeSource {
  readonly csi?: { readonly driver: string; readonly volumeHandle: string; readonly readOnly?: boolean };
  readonly awsElasticBlockStore?: { readonly volumeID: string };
  readonly gcePersistentDisk?: { readonly pdName: string };
  readonly azureDisk?: { readonly diskName: string; readonly diskURI: string };
  readonly azureFile?: { readonly shareName: string; readonly secretNamespace?: string };
  readonly cinder?: { readonly volumeID: string };
  readonly vsphereVolume?: { readonly volumePath: string };
  readonly portworxVolume?: { readonly volumeID: string };
  readonly iscsi?: { readonly iqn: string; readonly lun: number; readonly targetPortal: string };
  readonly rbd?: { readonly monitors: readonly string[]; readonly image: string; readonly pool?: string };
  readonly nfs?: Readonly<Record<string, never>>;
  readonly local?: Readonly<Record<string, never>>;
  readonly hostPath?: Readonly<Record<string, never>>;
}

/** `v1` PersistentVolume. */
export interface PersistentVolume extends KubernetesObject {
  readonly kind: 'PersistentVolume';
  readonly spec?: PersistentVolumeSource & {
    readonly capacity?: ResourceList;
    readonly accessModes?: readonly string[];
    readonly claimRef?: ObjectReference;
    readonly storageClassName?: string;
    readonly volumeMode?: string;
    readonly persistentVolumeReclaimPolicy?: string;
    readonly nodeAffinity?: { readonly required?: NodeSelector };
    readonly volumeAttributesClassName?: string;
  };
  readonly status?: { readonly phase?: string };
}

/** `v1.PersistentVolumeClaimSpec`. */
export interface PersistentVolumeClaimSpec {
  readonly accessModes?: readonly string[];
  readonly selector?: LabelSelector;
  readonly resources?: { readonly requests?: ResourceList; readonly limits?: ResourceList };
  readonly volumeName?: string;
  /** Empty means no dynamic provisioning; absent means the default class. */
  readonly storageClassName?: string;
  readonly volumeMode?: string;
  readonly volumeAttributesClassName?: string;
}

/** `v1` PersistentVolumeClaim. */
export interface PersistentVolumeClaim extends KubernetesObject {
  readonly kind: 'PersistentVolumeClaim';
  readonly spec?: PersistentVolumeClaimSpec;
  readonly status?: {
    readonly phase?: string;
    readonly accessModes?: readonly string[];
    readonly capacity?: ResourceList;
  };
}

/** A claim that a controller has yet to create for a hypothetical pod; it is neither received nor stored. */
export interface ClaimToMake extends PersistentVolumeClaim {
  readonly isToBeMade: true;
}

/** `v1.TopologySelectorTerm`. */
export interface TopologySelectorTerm {
  readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
}

/** `storage.k8s.io/v1` StorageClass. Its parameters are dropped. */
export interface StorageClass extends KubernetesObject {
  readonly kind: 'StorageClass';
  readonly provisioner: string;
  readonly reclaimPolicy?: string;
  readonly allowVolumeExpansion?: boolean;
  readonly volumeBindingMode?: string;
  readonly allowedTopologies?: readonly TopologySelectorTerm[];
}

/** `storage.k8s.io/v1` CSINode. */
export interface CSINode extends KubernetesObject {
  readonly kind: 'CSINode';
  readonly spec?: {
    readonly drivers?: readonly {
      readonly name: string;
      readonly nodeID: string;
      readonly topologyKeys?: readonly string[];
      readonly allocatable?: { readonly count?: number };
    }[];
  };
}

/** `storage.k8s.io/v1` CSIDriver. */
export interface CSIDriver extends KubernetesObject {
  readonly kind: 'CSIDriver';
  readonly spec?: {
    readonly attachRequired?: boolean;
    readonly storageCapacity?: boolean;
    readonly volumeLifecycleModes?: readonly string[];
    readonly nodeAllocatableUpdatePeriodSeconds?: Int64;
    readonly preventPodSchedulingIfMissing?: boolean;
  };
}

/** `storage.k8s.io/v1` CSIStorageCapacity. */
export interface CSIStorageCapacity extends KubernetesObject {
  readonly kind: 'CSIStorageCapacity';
  readonly storageClassName: string;
  readonly nodeTopology?: LabelSelector;
  readonly capacity?: QuantityString;
  readonly maximumVolumeSize?: QuantityString;
}

/** `storage.k8s.io/v1` VolumeAttachment. */
export interface VolumeAttachment extends KubernetesObject {
  readonly kind: 'VolumeAttachment';
  readonly spec?: {
    readonly attacher: string;
    readonly nodeName: string;
    readonly source?: {
      readonly persistentVolumeName?: string;
      readonly inlineVolumeSpec?: PersistentVolumeSource;
    };
  };
  readonly status?: { readonly attached?: boolean };
}
