import type { Volume } from '../objects/pod.js';
import type { PersistentVolumeClaimSpec, PersistentVolumeSource } from '../objects/storage.js';
import { described, list, map, object, stringMap } from './containers.js';
import { labelSelector, localObjectReference, templateMeta } from './metadata.js';
import { boolean, int32, int64, quantity, since, string } from './scalars.js';
import { required } from './schema.js';

/** `v1.AWSElasticBlockStoreVolumeSource`. */
export const awsElasticBlockStoreVolumeSource = object<NonNullable<Volume['awsElasticBlockStore']>>(
  {
    readOnly: boolean,
    volumeID: required(string),
  },
  {
    fsType: string,
    partition: int32,
  },
);

/** `v1.AzureDiskVolumeSource`. */
export const azureDiskVolumeSource = object<NonNullable<Volume['azureDisk']>>(
  {
    diskName: required(string),
    diskURI: required(string),
  },
  {
    cachingMode: string,
    fsType: string,
    kind: string,
    readOnly: boolean,
  },
);

/** `v1.AzureFileVolumeSource`. */
const azureFileVolumeSource = described({
  readOnly: boolean,
  secretName: string,
  shareName: string,
});

/** `v1.CephFSVolumeSource`. */
const cephFSVolumeSource = described({
  monitors: list(string),
  path: string,
  readOnly: boolean,
  secretFile: string,
  secretRef: localObjectReference,
  user: string,
});

/** `v1.CinderVolumeSource`. */
const cinderVolumeSource = object<NonNullable<Volume['cinder']>>(
  {
    volumeID: required(string),
  },
  {
    fsType: string,
    readOnly: boolean,
    secretRef: localObjectReference,
  },
);

/** `v1.KeyToPath`. */
const keyToPath = described({
  key: string,
  mode: int32,
  path: string,
});

/** `v1.ConfigMapVolumeSource`. */
const configMapVolumeSource = described({
  defaultMode: int32,
  items: list(keyToPath),
  name: string,
  optional: boolean,
});

/** `v1.CSIVolumeSource`. */
const csiVolumeSource = object<NonNullable<Volume['csi']>>(
  {
    driver: required(string),
  },
  {
    fsType: string,
    nodePublishSecretRef: localObjectReference,
    readOnly: boolean,
    volumeAttributes: stringMap,
  },
);

/** `v1.ObjectFieldSelector`. */
export const objectFieldSelector = described({
  apiVersion: string,
  fieldPath: string,
});

/** `v1.ResourceFieldSelector`. */
export const resourceFieldSelector = described({
  containerName: string,
  divisor: quantity,
  resource: string,
});

/** `v1.DownwardAPIVolumeFile`. */
const downwardAPIVolumeFile = described({
  fieldRef: objectFieldSelector,
  mode: int32,
  path: string,
  resourceFieldRef: resourceFieldSelector,
});

/** `v1.DownwardAPIVolumeSource`. */
const downwardAPIVolumeSource = described({
  defaultMode: int32,
  items: list(downwardAPIVolumeFile),
});

/** `v1.EmptyDirVolumeSource`. */
const emptyDirVolumeSource = object<NonNullable<Volume['emptyDir']>>({
  medium: string,
  sizeLimit: quantity,
});

/** `v1.TypedLocalObjectReference`. */
const typedLocalObjectReference = described({
  apiGroup: string,
  kind: string,
  name: string,
});

/** `v1.TypedObjectReference`. */
const typedObjectReference = described({
  apiGroup: string,
  kind: string,
  name: string,
  namespace: string,
});

/** `v1.VolumeResourceRequirements`. */
const volumeResourceRequirements = object<NonNullable<PersistentVolumeClaimSpec['resources']>>({
  limits: map(quantity),
  requests: map(quantity),
});

/** `v1.PersistentVolumeClaimSpec`. */
export const persistentVolumeClaimSpec = object<PersistentVolumeClaimSpec>(
  {
    accessModes: list(string),
    resources: volumeResourceRequirements,
    selector: labelSelector,
    storageClassName: string,
    volumeAttributesClassName: string,
    volumeMode: string,
    volumeName: string,
  },
  {
    dataSource: typedLocalObjectReference,
    dataSourceRef: typedObjectReference,
  },
);

/** `v1.PersistentVolumeClaimTemplate`. */
const persistentVolumeClaimTemplate = object<NonNullable<NonNullable<Volume['ephemeral']>['volumeClaimTemplate']>>(
  {
    spec: persistentVolumeClaimSpec,
  },
  {
    metadata: templateMeta,
  },
);

/** `v1.EphemeralVolumeSource`. */
const ephemeralVolumeSource = object<NonNullable<Volume['ephemeral']>>({
  volumeClaimTemplate: persistentVolumeClaimTemplate,
});

/** `v1.FCVolumeSource`. */
export const fcVolumeSource = described({
  fsType: string,
  lun: int32,
  readOnly: boolean,
  targetWWNs: list(string),
  wwids: list(string),
});

/** `v1.FlexVolumeSource`. */
const flexVolumeSource = described({
  driver: string,
  fsType: string,
  options: stringMap,
  readOnly: boolean,
  secretRef: localObjectReference,
});

/** `v1.FlockerVolumeSource`. */
export const flockerVolumeSource = described({
  datasetName: string,
  datasetUUID: string,
});

/** `v1.GCEPersistentDiskVolumeSource`. */
export const gcePersistentDiskVolumeSource = object<NonNullable<Volume['gcePersistentDisk']>>(
  {
    pdName: required(string),
    readOnly: boolean,
  },
  {
    fsType: string,
    partition: int32,
  },
);

/** `v1.GitRepoVolumeSource`. */
const gitRepoVolumeSource = described({
  directory: string,
  repository: string,
  revision: string,
});

/** `v1.GlusterfsVolumeSource`. */
const glusterfsVolumeSource = described({
  endpoints: string,
  path: string,
  readOnly: boolean,
});

/** `v1.HostPathVolumeSource`. */
export const hostPathVolumeSource = described({
  path: string,
  type: string,
});

/** `v1.ImageVolumeSource`. */
const imageVolumeSource = object<NonNullable<Volume['image']>>({ reference: string }, { pullPolicy: string });

/** `v1.ISCSIVolumeSource`. */
const iscsiVolumeSource = object<NonNullable<Volume['iscsi']>>(
  {
    iqn: required(string),
    lun: int32,
    readOnly: boolean,
    targetPortal: string,
  },
  {
    chapAuthDiscovery: boolean,
    chapAuthSession: boolean,
    fsType: string,
    initiatorName: string,
    iscsiInterface: string,
    portals: list(string),
    secretRef: localObjectReference,
  },
);

/** `v1.NFSVolumeSource`. */
export const nfsVolumeSource = described({
  path: string,
  readOnly: boolean,
  server: string,
});

/** `v1.PersistentVolumeClaimVolumeSource`. */
const persistentVolumeClaimVolumeSource = object<NonNullable<Volume['persistentVolumeClaim']>>({
  claimName: required(string),
  readOnly: boolean,
});

/** `v1.PhotonPersistentDiskVolumeSource`. */
export const photonPersistentDiskVolumeSource = described({
  fsType: string,
  pdID: string,
});

/** `v1.PortworxVolumeSource`. */
export const portworxVolumeSource = object<NonNullable<PersistentVolumeSource['portworxVolume']>>(
  {
    volumeID: required(string),
  },
  {
    fsType: string,
    readOnly: boolean,
  },
);

/** `v1.ClusterTrustBundleProjection`. */
const clusterTrustBundleProjection = described({
  labelSelector,
  name: string,
  optional: boolean,
  path: string,
  signerName: string,
});

/** `v1.ConfigMapProjection`. */
const configMapProjection = described({
  items: list(keyToPath),
  name: string,
  optional: boolean,
});

/** `v1.DownwardAPIProjection`. */
const downwardAPIProjection = described({
  items: list(downwardAPIVolumeFile),
});

/** `v1.PodCertificateProjection`. */
const podCertificateProjection = described({
  certificateChainPath: string,
  credentialBundlePath: string,
  keyPath: string,
  keyType: string,
  maxExpirationSeconds: int32,
  signerName: string,
  userAnnotations: since(35, stringMap),
});

/** `v1.SecretProjection`. */
const secretProjection = described({
  items: list(keyToPath),
  name: string,
  optional: boolean,
});

/** `v1.ServiceAccountTokenProjection`. */
const serviceAccountTokenProjection = described({
  audience: string,
  expirationSeconds: int64,
  path: string,
});

/** `v1.VolumeProjection`. */
const volumeProjection = described({
  clusterTrustBundle: clusterTrustBundleProjection,
  configMap: configMapProjection,
  downwardAPI: downwardAPIProjection,
  podCertificate: since(34, podCertificateProjection),
  secret: secretProjection,
  serviceAccountToken: serviceAccountTokenProjection,
});

/** `v1.ProjectedVolumeSource`. */
const projectedVolumeSource = described({
  defaultMode: int32,
  sources: list(volumeProjection),
});

/** `v1.QuobyteVolumeSource`. */
export const quobyteVolumeSource = described({
  group: string,
  readOnly: boolean,
  registry: string,
  tenant: string,
  user: string,
  volume: string,
});

/** `v1.RBDVolumeSource`. */
const rbdVolumeSource = object<NonNullable<Volume['rbd']>>(
  {
    image: required(string),
    monitors: required(list(string)),
    pool: string,
    readOnly: boolean,
  },
  {
    fsType: string,
    keyring: string,
    secretRef: localObjectReference,
    user: string,
  },
);

/** `v1.ScaleIOVolumeSource`. */
const scaleIOVolumeSource = described({
  fsType: string,
  gateway: string,
  protectionDomain: string,
  readOnly: boolean,
  secretRef: localObjectReference,
  sslEnabled: boolean,
  storageMode: string,
  storagePool: string,
  system: string,
  volumeName: string,
});

/** `v1.SecretVolumeSource`. */
const secretVolumeSource = described({
  defaultMode: int32,
  items: list(keyToPath),
  optional: boolean,
  secretName: string,
});

/** `v1.StorageOSVolumeSource`. */
const storageOSVolumeSource = described({
  fsType: string,
  readOnly: boolean,
  secretRef: localObjectReference,
  volumeName: string,
  volumeNamespace: string,
});

/** `v1.VsphereVirtualDiskVolumeSource`. */
export const vsphereVirtualDiskVolumeSource = object<NonNullable<PersistentVolumeSource['vsphereVolume']>>(
  {
    volumePath: required(string),
  },
  {
    fsType: string,
    storagePolicyID: string,
    storagePolicyName: string,
  },
);

/** `v1.Volume`. */
export const volume = object<Volume>(
  {
    awsElasticBlockStore: awsElasticBlockStoreVolumeSource,
    azureDisk: azureDiskVolumeSource,
    azureFile: azureFileVolumeSource,
    cephfs: cephFSVolumeSource,
    cinder: cinderVolumeSource,
    csi: csiVolumeSource,
    emptyDir: emptyDirVolumeSource,
    ephemeral: ephemeralVolumeSource,
    fc: fcVolumeSource,
    flexVolume: flexVolumeSource,
    flocker: flockerVolumeSource,
    gcePersistentDisk: gcePersistentDiskVolumeSource,
    gitRepo: gitRepoVolumeSource,
    glusterfs: glusterfsVolumeSource,
    hostPath: hostPathVolumeSource,
    image: imageVolumeSource,
    iscsi: iscsiVolumeSource,
    name: required(string),
    nfs: nfsVolumeSource,
    persistentVolumeClaim: persistentVolumeClaimVolumeSource,
    photonPersistentDisk: photonPersistentDiskVolumeSource,
    portworxVolume: portworxVolumeSource,
    quobyte: quobyteVolumeSource,
    rbd: rbdVolumeSource,
    scaleIO: scaleIOVolumeSource,
    storageos: storageOSVolumeSource,
    vsphereVolume: vsphereVirtualDiskVolumeSource,
  },
  {
    configMap: configMapVolumeSource,
    downwardAPI: downwardAPIVolumeSource,
    projected: projectedVolumeSource,
    secret: secretVolumeSource,
  },
);
