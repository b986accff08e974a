import type { WholeVolume } from '../../../kubernetes/objects/whole-pod.js';
import type { Check, CheckPod } from '../check.js';
import { plural, quoted, sortedSet } from '../text.js';
import { hostPathVolumes } from './host-path-volumes.js';

const ALLOWED = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** The first that a volume has names its type. */
const RESTRICTED = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
];

const has = (volume: WholeVolume, type: string): boolean => Object.hasOwn(volume, type);

const allowsTypes: CheckPod = ({ spec: { volumes = [] } }) => {
  const bad = volumes.filter((volume) => !ALLOWED.some((type) => has(volume, type)));
  if (bad.length === 0) return undefined;
  const types = sortedSet(bad.map((volume) => RESTRICTED.find((type) => has(volume, type)) ?? 'unknown'));
  const names = `${plural('volume', 'volumes', bad)} ${quoted(bad.map(({ name }) => name))}`;
  const list = `${plural('restricted volume type', 'restricted volume types', types)} ${quoted(types)}`;
  return { reason: 'restricted volume types', detail: `${names} ${plural('uses', 'use', bad)} ${list}` };
};

/** Source: k8s.io/pod-security-admission v0.36.2, policy/check_restrictedVolumes.go. */
export const restrictedVolumes: Check = {
  id: 'restrictedVolumes',
  level: 'restricted',
  versions: [{ since: 0, check: allowsTypes, overrides: [hostPathVolumes.id] }],
};
