import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  TopologySelectorTerm,
  VolumeAttachment,
} from '../objects/storage.js';
import { described, list, object, stringMap } from './containers.js';
import { labelSelector, objectMeta } from './metadata.js';
import { persistentVolumeSpec } from './persistent-volume.js';
import { boolean, constant, int32, int64, quantity, since, string, time } from './scalars.js';
import { required } from './schema.js';

/** `v1.TopologySelectorLabelRequirement`. */
const topologySelectorLabelRequirement = object<NonNullable<TopologySelectorTerm['matchLabelExpressions']>[number]>({
  key: required(string),
  values: required(list(string)),
});

/** `v1.TopologySelectorTerm`. */
const topologySelectorTerm = object<TopologySelectorTerm>({
  matchLabelExpressions: list(topologySelectorLabelRequirement),
});

/** `v1.StorageClass`. */
export const storageClass = object<StorageClass>(
  {
    allowVolumeExpansion: boolean,
    allowedTopologies: list(topologySelectorTerm),
    apiVersion: required(string),
    kind: required(constant('StorageClass')),
    metadata: required(objectMeta),
    provisioner: required(string),
    reclaimPolicy: string,
    volumeBindingMode: string,
  },
  {
    mountOptions: list(string),
    parameters: stringMap,
  },
);

/** `v1.VolumeNodeResources`. */
const volumeNodeResources = object<
  NonNullable<NonNullable<NonNullable<CSINode['spec']>['drivers']>[number]['allocatable']>
>({
  count: int32,
});

/** `v1.CSINodeDriver`. */
const csiNodeDriver = object<NonNullable<NonNullable<CSINode['spec']>['drivers']>[number]>({
  allocatable: volumeNodeResources,
  name: required(string),
  nodeID: required(string),
  topologyKeys: list(string),
});

/** `v1.CSINodeSpec`. */
const csiNodeSpec = object<NonNullable<CSINode['spec']>>({
  drivers: list(csiNodeDriver),
});

/** `v1.CSINode`. */
export const csiNode = object<CSINode>({
  apiVersion: required(string),
  kind: required(constant('CSINode')),
  metadata: required(objectMeta),
  spec: csiNodeSpec,
});

/** `StorageV1TokenRequest`. */
const v1TokenRequest = described({
  audience: string,
  expirationSeconds: int64,
});

/** `v1.CSIDriverSpec`. */
const csiDriverSpec = object<NonNullable<CSIDriver['spec']>>(
  {
    attachRequired: boolean,
    nodeAllocatableUpdatePeriodSeconds: since(33, int64),
    preventPodSchedulingIfMissing: since(36, boolean),
    storageCapacity: boolean,
    volumeLifecycleModes: list(string),
  },
  {
    fsGroupPolicy: string,
    podInfoOnMount: boolean,
    requiresRepublish: boolean,
    seLinuxMount: boolean,
    serviceAccountTokenInSecrets: since(35, boolean),
    tokenRequests: list(v1TokenRequest),
  },
);

/** `v1.CSIDriver`. */
export const csiDriver = object<CSIDriver>({
  apiVersion: required(string),
  kind: required(constant('CSIDriver')),
  metadata: required(objectMeta),
  spec: csiDriverSpec,
});

/** `v1.CSIStorageCapacity`. */
export const csiStorageCapacity = object<CSIStorageCapacity>({
  apiVersion: required(string),
  capacity: quantity,
  kind: required(constant('CSIStorageCapacity')),
  maximumVolumeSize: quantity,
  metadata: required(objectMeta),
  nodeTopology: labelSelector,
  storageClassName: required(string),
});

/** `v1.VolumeAttachmentSource`. */
const volumeAttachmentSource = object<NonNullable<NonNullable<VolumeAttachment['spec']>['source']>>({
  inlineVolumeSpec: persistentVolumeSpec,
  persistentVolumeName: string,
});

/** `v1.VolumeAttachmentSpec`. */
const volumeAttachmentSpec = object<NonNullable<VolumeAttachment['spec']>>({
  attacher: required(string),
  nodeName: required(string),
  source: volumeAttachmentSource,
});

/** `v1.VolumeError`. */
const volumeError = described({
  errorCode: since(33, int32),
  message: string,
  time,
});

/** `v1.VolumeAttachmentStatus`. */
const volumeAttachmentStatus = object<NonNullable<VolumeAttachment['status']>>(
  {
    attached: boolean,
  },
  {
    attachError: volumeError,
    attachmentMetadata: stringMap,
    detachError: volumeError,
  },
);

/** `v1.VolumeAttachment`. */
export const volumeAttachment = object<VolumeAttachment>({
  apiVersion: required(string),
  kind: required(constant('VolumeAttachment')),
  metadata: required(objectMeta),
  spec: volumeAttachmentSpec,
  status: volumeAttachmentStatus,
});
