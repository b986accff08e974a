import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeSource } from '../objects/storage.js';
import { described, list, map, object, stringMap } from './containers.js';
import { nodeSelector, objectMeta, objectReference } from './metadata.js';
import { boolean, constant, int32, quantity, string, time } from './scalars.js';
import { required } from './schema.js';
import {
  awsElasticBlockStoreVolumeSource,
  azureDiskVolumeSource,
  fcVolumeSource,
  flockerVolumeSource,
  gcePersistentDiskVolumeSource,
  hostPathVolumeSource,
  nfsVolumeSource,
  persistentVolumeClaimSpec,
  photonPersistentDiskVolumeSource,
  portworxVolumeSource,
  quobyteVolumeSource,
  vsphereVirtualDiskVolumeSource,
} from './volume.js';

/** `v1.AzureFilePersistentVolumeSource`. */
const azureFilePersistentVolumeSource = object<NonNullable<PersistentVolumeSource['azureFile']>>(
  {
    secretNamespace: string,
    shareName: required(string),
  },
  {
    readOnly: boolean,
    secretName: string,
  },
);

/** `v1.SecretReference`. */
const secretReference = described({
  name: string,
  namespace: string,
});

/** `v1.CephFSPersistentVolumeSource`. */
const cephFSPersistentVolumeSource = described({
  monitors: list(string),
  path: string,
  readOnly: boolean,
  secretFile: string,
  secretRef: secretReference,
  user: string,
});

/** `v1.CinderPersistentVolumeSource`. */
const cinderPersistentVolumeSource = object<NonNullable<PersistentVolumeSource['cinder']>>(
  {
    volumeID: required(string),
  },
  {
    fsType: string,
    readOnly: boolean,
    secretRef: secretReference,
  },
);

/** `v1.CSIPersistentVolumeSource`. */
const csiPersistentVolumeSource = object<NonNullable<PersistentVolumeSource['csi']>>(
  {
    driver: required(string),
    readOnly: boolean,
    volumeHandle: required(string),
  },
  {
    controllerExpandSecretRef: secretReference,
    controllerPublishSecretRef: secretReference,
    fsType: string,
    nodeExpandSecretRef: secretReference,
    nodePublishSecretRef: secretReference,
    nodeStageSecretRef: secretReference,
    volumeAttributes: stringMap,
  },
);

/** `v1.FlexPersistentVolumeSource`. */
const flexPersistentVolumeSource = described({
  driver: string,
  fsType: string,
  options: stringMap,
  readOnly: boolean,
  secretRef: secretReference,
});

/** `v1.GlusterfsPersistentVolumeSource`. */
const glusterfsPersistentVolumeSource = described({
  endpoints: string,
  endpointsNamespace: string,
  path: string,
  readOnly: boolean,
});

/** `v1.ISCSIPersistentVolumeSource`. */
const iscsiPersistentVolumeSource = object<NonNullable<PersistentVolumeSource['iscsi']>>(
  {
    iqn: required(string),
    lun: required(int32),
    targetPortal: required(string),
  },
  {
    chapAuthDiscovery: boolean,
    chapAuthSession: boolean,
    fsType: string,
    initiatorName: string,
    iscsiInterface: string,
    portals: list(string),
    readOnly: boolean,
    secretRef: secretReference,
  },
);

/** `v1.LocalVolumeSource`. */
const localVolumeSource = described({
  fsType: string,
  path: string,
});

/** `v1.VolumeNodeAffinity`. */
const volumeNodeAffinity = object<NonNullable<NonNullable<PersistentVolume['spec']>['nodeAffinity']>>({
  required: nodeSelector,
});

/** `v1.RBDPersistentVolumeSource`. */
const rbdPersistentVolumeSource = object<NonNullable<PersistentVolumeSource['rbd']>>(
  {
    image: required(string),
    monitors: required(list(string)),
    pool: string,
  },
  {
    fsType: string,
    keyring: string,
    readOnly: boolean,
    secretRef: secretReference,
    user: string,
  },
);

/** `v1.ScaleIOPersistentVolumeSource`. */
const scaleIOPersistentVolumeSource = described({
  fsType: string,
  gateway: string,
  protectionDomain: string,
  readOnly: boolean,
  secretRef: secretReference,
  sslEnabled: boolean,
  storageMode: string,
  storagePool: string,
  system: string,
  volumeName: string,
});

/** `v1.StorageOSPersistentVolumeSource`. */
const storageOSPersistentVolumeSource = described({
  fsType: string,
  readOnly: boolean,
  secretRef: objectReference,
  volumeName: string,
  volumeNamespace: string,
});

/** `v1.PersistentVolumeSpec`. */
export const persistentVolumeSpec = object<NonNullable<PersistentVolume['spec']>>(
  {
    accessModes: list(string),
    awsElasticBlockStore: awsElasticBlockStoreVolumeSource,
    azureDisk: azureDiskVolumeSource,
    azureFile: azureFilePersistentVolumeSource,
    capacity: map(quantity),
    cinder: cinderPersistentVolumeSource,
    claimRef: objectReference,
    csi: csiPersistentVolumeSource,
    gcePersistentDisk: gcePersistentDiskVolumeSource,
    hostPath: hostPathVolumeSource,
    iscsi: iscsiPersistentVolumeSource,
    local: localVolumeSource,
    nfs: nfsVolumeSource,
    nodeAffinity: volumeNodeAffinity,
    persistentVolumeReclaimPolicy: string,
    portworxVolume: portworxVolumeSource,
    rbd: rbdPersistentVolumeSource,
    storageClassName: string,
    volumeAttributesClassName: string,
    volumeMode: string,
    vsphereVolume: vsphereVirtualDiskVolumeSource,
  },
  {
    cephfs: cephFSPersistentVolumeSource,
    fc: fcVolumeSource,
    flexVolume: flexPersistentVolumeSource,
    flocker: flockerVolumeSource,
    glusterfs: glusterfsPersistentVolumeSource,
    mountOptions: list(string),
    photonPersistentDisk: photonPersistentDiskVolumeSource,
    quobyte: quobyteVolumeSource,
    scaleIO: scaleIOPersistentVolumeSource,
    storageos: storageOSPersistentVolumeSource,
  },
);

/** `v1.PersistentVolumeStatus`. */
const persistentVolumeStatus = object<NonNullable<PersistentVolume['status']>>(
  {
    phase: string,
  },
  {
    lastPhaseTransitionTime: time,
    message: string,
    reason: string,
  },
);

/** `v1.PersistentVolume`. */
export const persistentVolume = object<PersistentVolume>({
  apiVersion: required(string),
  kind: required(constant('PersistentVolume')),
  metadata: required(objectMeta),
  spec: persistentVolumeSpec,
  status: persistentVolumeStatus,
});

/** `v1.PersistentVolumeClaimCondition`. */
const persistentVolumeClaimCondition = described({
  lastProbeTime: time,
  lastTransitionTime: time,
  message: string,
  reason: string,
  status: string,
  type: string,
});

/** `v1.ModifyVolumeStatus`. */
const modifyVolumeStatus = described({
  status: string,
  targetVolumeAttributesClassName: string,
});

/** `v1.PersistentVolumeClaimStatus`. */
export const persistentVolumeClaimStatus = object<NonNullable<PersistentVolumeClaim['status']>>(
  {
    accessModes: list(string),
    capacity: map(quantity),
    phase: string,
  },
  {
    allocatedResourceStatuses: stringMap,
    allocatedResources: map(quantity),
    conditions: list(persistentVolumeClaimCondition),
    currentVolumeAttributesClassName: string,
    modifyVolumeStatus,
  },
);

/** `v1.PersistentVolumeClaim`. */
export const persistentVolumeClaim = object<PersistentVolumeClaim>({
  apiVersion: required(string),
  kind: required(constant('PersistentVolumeClaim')),
  metadata: required(objectMeta),
  spec: persistentVolumeClaimSpec,
  status: persistentVolumeClaimStatus,
});
