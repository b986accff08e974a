import { duplicate, forbidden, invalid, notSupported, required, tooLong, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import { decodeQuantity } from '../../quantity.js';
import type { KeyToPath, WholePod, WholeVolume } from '../../objects/whole-pod.js';
import { quoteGo } from '../../go-text.js';
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../object-names.js';
import { complaints } from './complaints.js';
import { validateLocalDescendingPath, validateNoBacksteps } from './paths.js';
import { validateProjectedSources } from './projected-volumes.js';
import { validateFile, validateKeyToPath, validateMode } from './volume-files.js';

/** A pod's volumes: the valid ones by name, and the errors of the others. */
export interface JudgedVolumes {
  readonly good: ReadonlyMap<string, WholeVolume>;
  readonly errors: readonly FieldError[];
}

/**
 * `ValidateVolumes`: names, that each volume has one source, and the sources that are in use today. For plugins that were
 * migrated to CSI drivers, and for the spec of an ephemeral volume's claim, only the fields that placement needs are
 * validated.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go.
 */
export function validateVolumes({ metadata, spec }: WholePod, path: FieldPath): JudgedVolumes {
  const { volumes = [] } = spec;
  const made = new Set(
    metadata.name === ''
      ? []
      : volumes.filter(({ ephemeral }) => ephemeral).map(({ name }) => `${metadata.name}-${name}`),
  );
  const good = new Map<string, WholeVolume>();
  const errors: FieldError[] = [];
  for (const [index, volume] of volumes.entries()) {
    const at = path.index(index);
    const name = at.child('name');
    const found = [
      ...validateSources(volume, metadata.name, at),
      ...(volume.name === '' ? [required(name)] : complaints(nameIsDnsLabel, volume.name, name)),
      ...(good.has(volume.name) ? [duplicate(name, volume.name)] : []),
    ];
    if (found.length === 0) good.set(volume.name, volume);
    errors.push(...found);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && made.has(claim)) {
      const rule = 'must not reference a PVC that gets created for an ephemeral volume';
      errors.push(invalid(at.child('persistentVolumeClaim', 'claimName'), claim, rule));
    }
  }
  return { good, errors };
}

/** The sources in upstream's order, with upstream's name for the field of a second one. */
const SOURCES: readonly (readonly [field: string, second?: string])[] = [
  ['emptyDir'],
  ['hostPath'],
  ['gitRepo'],
  ['gcePersistentDisk'],
  ['awsElasticBlockStore'],
  ['secret'],
  ['nfs'],
  ['iscsi'],
  ['glusterfs'],
  ['flocker'],
  ['persistentVolumeClaim'],
  ['rbd'],
  ['cinder'],
  ['cephfs', 'cephFS'],
  ['quobyte'],
  ['downwardAPI', 'downwarAPI'],
  ['fc'],
  ['flexVolume'],
  ['configMap'],
  ['azureFile'],
  ['vsphereVolume'],
  ['photonPersistentDisk'],
  ['portworxVolume'],
  ['azureDisk'],
  ['storageos'],
  ['projected'],
  ['scaleIO'],
  ['csi'],
  ['ephemeral'],
  ['image'],
];

function validateSources(volume: WholeVolume, podName: string, path: FieldPath): FieldError[] {
  const [first, ...more] = SOURCES.filter(([field]) => Object.hasOwn(volume, field));
  if (first === undefined) return [required(path, 'must specify a volume type')];
  return [
    ...validateSource(volume, first[0], podName, path),
    ...more.map(([field, second = field]) => forbidden(path.child(second), 'may not specify more than 1 volume type')),
  ];
}

function validateSource(volume: WholeVolume, field: string, podName: string, path: FieldPath): FieldError[] {
  const at = path.child(field);
  switch (field) {
    case 'emptyDir': {
      const { sizeLimit = '0' } = volume.emptyDir ?? {};
      return decodeQuantity(sizeLimit).sign() < 0
        ? [forbidden(at.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity')]
        : [];
    }
    case 'hostPath':
      return validateHostPath(volume.hostPath ?? {}, at);
    case 'gitRepo': {
      const { repository = '', directory = '' } = volume.gitRepo ?? {};
      const missing = repository === '' ? [required(at.child('repository'))] : [];
      return [...missing, ...validateLocalDescendingPath(directory, at.child('directory'))];
    }
    case 'secret': {
      const { secretName = '', ...files } = volume.secret ?? {};
      return [...(secretName === '' ? [required(at.child('secretName'))] : []), ...validateFiles(files, at)];
    }
    case 'configMap': {
      const { name = '', ...files } = volume.configMap ?? {};
      return [...(name === '' ? [required(at.child('name'))] : []), ...validateFiles(files, at)];
    }
    case 'nfs': {
      const { server = '', path: exported = '' } = volume.nfs ?? {};
      const place = at.child('path');
      return [
        ...(server === '' ? [required(at.child('server'))] : []),
        ...(exported === '' ? [required(place)] : []),
        ...(exported.startsWith('/') ? [] : [invalid(place, exported, 'must be an absolute path')]),
      ];
    }
    case 'persistentVolumeClaim':
      return volume.persistentVolumeClaim?.claimName === '' ? [required(at.child('claimName'))] : [];
    case 'downwardAPI': {
      const { defaultMode, items = [] } = volume.downwardAPI ?? {};
      // Upstream reports the source for faults of its files.
      return [
        ...validateMode(defaultMode, at.child('defaultMode')),
        ...items.flatMap((file) => validateFile(file, at)),
      ];
    }
    case 'projected': {
      const { defaultMode, sources = [] } = volume.projected ?? {};
      return [...validateMode(defaultMode, at.child('defaultMode')), ...validateProjectedSources(sources, at)];
    }
    case 'csi':
      return validateDriver(volume.csi?.driver ?? '', at.child('driver'));
    case 'ephemeral':
      return validateEphemeral(volume, podName, path);
    case 'image': {
      const { reference = '', pullPolicy = '' } = volume.image ?? {};
      return [
        ...(reference === '' ? [required(at.child('reference'))] : []),
        ...(PULL_POLICIES.includes(pullPolicy)
          ? []
          : [notSupported(at.child('pullPolicy'), pullPolicy, PULL_POLICIES)]),
      ];
    }
    default:
      return [];
  }
}

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function validateHostPath({ path = '', type = '' }: NonNullable<WholeVolume['hostPath']>, at: FieldPath): FieldError[] {
  if (path === '') return [required(at.child('path'))];
  return [
    ...validateNoBacksteps(path, at.child('path')),
    ...(HOST_PATH_TYPES.includes(type) ? [] : [notSupported(at.child('type'), type, HOST_PATH_TYPES)]),
  ];
}

function validateFiles(
  { defaultMode, items = [] }: { readonly defaultMode?: number; readonly items?: readonly KeyToPath[] },
  path: FieldPath,
): FieldError[] {
  return [
    ...validateMode(defaultMode, path.child('defaultMode')),
    ...items.flatMap((item, index) => validateKeyToPath(item, path.child('items').index(index))),
  ];
}

/** `ValidateCSIDriverName`: a DNS name in upper or lower case. */
function validateDriver(driver: string, path: FieldPath): FieldError[] {
  if (driver === '') return [required(path)];
  const errors: FieldError[] = [];
  if (driver.length > 63) errors.push(tooLong(path, 63));
  return [
    ...errors,
    ...nameIsDnsSubdomain(driver.toLowerCase(), false).map((message) => invalid(path, driver, message)),
  ];
}

/** Checks that the ephemeral volume's claim has a template, and that its name is valid. */
function validateEphemeral({ name, ephemeral }: WholeVolume, podName: string, path: FieldPath): FieldError[] {
  const at = path.child('ephemeral', 'volumeClaimTemplate');
  const template = ephemeral?.volumeClaimTemplate;
  const errors = template === undefined ? [required(at)] : [];
  if (template !== undefined) {
    const { accessModes = [], resources } = template.spec ?? {};
    if (accessModes.length === 0) {
      errors.push(required(at.child('spec', 'accessModes'), 'at least 1 access mode is required'));
    }
    if (!Object.hasOwn(resources?.requests ?? {}, 'storage')) {
      errors.push(required(at.child('spec', 'resources').key('storage')));
    }
  }
  if (podName === '' || name === '') return errors;
  const claim = `${podName}-${name}`;
  const wrong = nameIsDnsSubdomain(claim, false);
  return [
    ...errors,
    ...wrong.map((message) => invalid(path.child('name'), name, `PVC name ${quoteGo(claim)}: ${message}`)),
  ];
}
