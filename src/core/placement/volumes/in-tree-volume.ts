import { compileNodeSelector } from '../../kubernetes/node-selector.js';
import type { Labels } from '../../kubernetes/objects/meta.js';
import type { Volume } from '../../kubernetes/objects/pod.js';
import type { NodeSelector, NodeSelectorTerm } from '../../kubernetes/objects/selectors.js';
import type { CSINode, PersistentVolume, PersistentVolumeSource } from '../../kubernetes/objects/storage.js';

/** A volume as its CSI driver knows it. */
export interface DriverVolume {
  readonly driver: string;
  readonly handle: string;
}

/** A volume type of Kubernetes' own whose work a CSI driver has taken over. */
interface InTreePlugin {
  readonly name: string;
  readonly driver: string;
  /** The label of nodes by which the driver tells zones; absent where volumes keep their node affinity as it is. */
  readonly topologyKey?: string;
}

const AWS: InTreePlugin = {
  name: 'kubernetes.io/aws-ebs',
  driver: 'ebs.csi.aws.com',
  topologyKey: 'topology.ebs.csi.aws.com/zone',
};
const GCE: InTreePlugin = {
  name: 'kubernetes.io/gce-pd',
  driver: 'pd.csi.storage.gke.io',
  topologyKey: 'topology.gke.io/zone',
};
const AZURE_DISK: InTreePlugin = { name: 'kubernetes.io/azure-disk', driver: 'disk.csi.azure.com' };
const CINDER: InTreePlugin = {
  name: 'kubernetes.io/cinder',
  driver: 'cinder.csi.openstack.org',
  topologyKey: 'topology.cinder.csi.openstack.org/zone',
};
const PORTWORX: InTreePlugin = { name: 'kubernetes.io/portworx-volume', driver: 'pxd.portworx.com' };

/** Those that the scheduler counts and binds by their drivers; Azure files and vSphere volumes it leaves alone. */
const PLUGINS: readonly InTreePlugin[] = [AWS, GCE, AZURE_DISK, CINDER, PORTWORX];

const NEVER_COUNTED: ReadonlySet<string> = new Set(['kubernetes.io/azure-file', 'kubernetes.io/vsphere-volume']);

/**
 * The driver that makes a provisioner's volumes: the provisioner itself, or what has taken over from one of Kubernetes' own, on nodes
 * with a CSINode; undefined where none has.
 */
export function driverOfProvisioner(provisioner: string, hasCsiNode: boolean): string | undefined {
  if (NEVER_COUNTED.has(provisioner)) return undefined;
  const plugin = PLUGINS.find(({ name }) => name === provisioner);
  if (plugin === undefined) return provisioner;
  return hasCsiNode ? plugin.driver : undefined;
}

const pluginOf = (source: PersistentVolumeSource): InTreePlugin | undefined => {
  if (source.awsElasticBlockStore !== undefined) return AWS;
  if (source.gcePersistentDisk !== undefined) return GCE;
  if (source.azureDisk !== undefined) return AZURE_DISK;
  if (source.cinder !== undefined) return CINDER;
  return source.portworxVolume === undefined ? undefined : PORTWORX;
};

/** Whether a disk that is named in the pod itself is one that a driver has taken over. */
export const isMigratable = (volume: Volume): boolean => pluginOf(sourceOf(volume)) !== undefined;

const sourceOf = ({ awsElasticBlockStore, gcePersistentDisk, azureDisk, cinder }: Volume): PersistentVolumeSource => ({
  ...(awsElasticBlockStore && { awsElasticBlockStore }),
  ...(gcePersistentDisk && { gcePersistentDisk }),
  ...(azureDisk && { azureDisk }),
  ...(cinder && { cinder }),
});

/** A handle, or why there is none. */
type Handle = { readonly handle: string } | { readonly message: string };

/**
 * A disk that is named in the pod itself, as its driver knows it; undefined for one that no driver has taken over.
 *
 * Source: k8s.io/csi-translation-lib v0.36.2, plugins, `TranslateInTreeInlineVolumeToCSI`.
 */
export function inlineDriverVolume(volume: Volume): DriverVolume | { readonly message: string } | undefined {
  const source = sourceOf(volume);
  const plugin = pluginOf(source);
  if (plugin === undefined) return undefined;
  const handle = handleOf(source, {});
  return 'message' in handle ? handle : { driver: plugin.driver, handle: handle.handle };
}

/**
 * A stored volume as its driver knows it, be it the driver's own or one that it has taken over; undefined where no driver has it or
 * it cannot be put in the driver's terms.
 *
 * Source: the same, `TranslateInTreePVToCSI`.
 */
export function driverVolume({ metadata, spec }: PersistentVolume): DriverVolume | undefined {
  if (spec?.csi !== undefined) return { driver: spec.csi.driver, handle: spec.csi.volumeHandle };
  const plugin = spec === undefined ? undefined : pluginOf(spec);
  if (spec === undefined || plugin === undefined) return undefined;
  const handle = handleOf(spec, metadata.labels ?? {});
  return 'message' in handle ? undefined : { driver: plugin.driver, handle: handle.handle };
}

function handleOf(source: PersistentVolumeSource, labels: Labels): Handle {
  const { awsElasticBlockStore, gcePersistentDisk, azureDisk, cinder, portworxVolume } = source;
  if (awsElasticBlockStore !== undefined) return awsHandle(awsElasticBlockStore.volumeID);
  if (gcePersistentDisk !== undefined) return gceHandle(gcePersistentDisk.pdName, labels);
  if (azureDisk !== undefined) return { handle: azureDisk.diskURI };
  return { handle: (cinder ?? portworxVolume)?.volumeID ?? '' };
}

/** `vol-1`, or `aws://us-east-1a/vol-1`. */
function awsHandle(id: string): Handle {
  if (!id.startsWith('aws://')) return { handle: id };
  const path = id.slice('aws://'.length);
  const slash = path.indexOf('/');
  const handle = slash < 0 ? '' : path.slice(slash).replace(/^\/+|\/+$/g, '');
  return /^vol-[^/]*$/.test(handle) ? { handle } : { message: `invalid format for AWS volume (${id})` };
}

const UNSPECIFIED = 'UNSPECIFIED';

function gceHandle(name: string, labels: Labels): Handle {
  const beta = ownValue(labels, BETA_ZONE) ?? '';
  const zones = (beta === '' ? (ownValue(labels, ZONE) ?? '') : beta).split('__');
  if (zones.length === 1) {
    const zone = zones[0] === '' ? UNSPECIFIED : zones[0];
    return { handle: `projects/${UNSPECIFIED}/zones/${zone}/disks/${name}` };
  }
  const regions = new Set<string>();
  for (const zone of zones) {
    const parts = zone.split('-');
    if (parts.length !== 3) {
      return { message: `zone in unexpected format, expected: {locale}-{region}-{zone}, got: ${zone}` };
    }
    regions.add(`${parts[0]}-${parts[1]}`);
  }
  if (regions.size !== 1)
    return { message: `multiple or no regions gotten from zones, got: [${[...regions].join(' ')}]` };
  return { handle: `projects/${UNSPECIFIED}/regions/${[...regions][0]}/disks/${name}` };
}

const ZONE = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';
const BETA_ZONE = 'failure-domain.beta.kubernetes.io/zone';
const BETA_REGION = 'failure-domain.beta.kubernetes.io/region';

const ownValue = (labels: Labels, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined;

/** A volume's node affinity as it is to be read on a node, or why the volume cannot be put in its driver's terms. */
export type VolumeAffinity = { readonly required: NodeSelector | undefined } | { readonly message: string };

/**
 * Where a stored volume can be reached from, on the nodes with a CSINode: where this says that the volume's type has been taken over,
 * the driver's own zone label stands for Kubernetes'.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/volumebinding/binder.go, `tryTranslatePVToCSI`;
 * k8s.io/csi-translation-lib v0.36.2, plugins/in_tree_volume.go, `translateTopologyFromInTreeToCSI`.
 */
export function volumeAffinity(volume: PersistentVolume, csiNode: CSINode | undefined): VolumeAffinity {
  const { metadata, spec } = volume;
  const required = spec?.nodeAffinity?.required;
  const plugin = spec === undefined || spec.csi !== undefined ? undefined : pluginOf(spec);
  if (spec === undefined || plugin === undefined || !isMigratedOn(plugin, csiNode)) return { required };
  const labels = metadata.labels ?? {};
  const handle = handleOf(spec, labels);
  if ('message' in handle) return { message: `could not translate pv: ${handle.message}` };
  return { required: plugin.topologyKey === undefined ? required : translated(required, labels, plugin.topologyKey) };
}

/** Whether a stored volume is of a type that a driver may have taken over, so that nodes may read it differently. */
export const isTakenOver = ({ spec }: PersistentVolume): boolean =>
  spec !== undefined && spec.csi === undefined && pluginOf(spec) !== undefined;

/** Whether volumes of a type are read differently on a node with this CSINode. */
export const migratedOn = (csiNode: CSINode | undefined): string =>
  ownValue(csiNode?.metadata.annotations ?? {}, 'storage.alpha.kubernetes.io/migrated-plugins') ?? '';

const isMigratedOn = ({ name }: InTreePlugin, csiNode: CSINode | undefined): boolean =>
  migratedOn(csiNode).split(',').includes(name);

function translated(required: NodeSelector | undefined, labels: Labels, topologyKey: string): NodeSelector | undefined {
  const terms = required?.nodeSelectorTerms ?? [];
  const mentions = (key: string): boolean =>
    terms.some(({ matchExpressions = [] }) => matchExpressions.some((expression) => expression.key === key));
  const isBeta = mentions(ZONE)
    ? false
    : mentions(BETA_ZONE) || (!Object.hasOwn(labels, ZONE) && Object.hasOwn(labels, BETA_ZONE));
  const zoneKey = isBeta ? BETA_ZONE : ZONE;
  const hasZones = valuesOf(terms, zoneKey).length > 0;
  let result = terms;
  if (hasZones) result = renamed(result, zoneKey, topologyKey);
  else {
    const zones = [...new Set((ownValue(labels, zoneKey) ?? '').split('__').map((zone) => zone.trim()))]
      .filter((zone) => zone !== '')
      .sort();
    if (zones.length > 0) {
      const zone = { key: topologyKey, operator: 'In', values: zones };
      result = (result.length === 0 ? [{}] : result).map((term) => ({
        ...term,
        matchExpressions: [...(term.matchExpressions ?? []), zone],
      }));
    }
  }
  if (isBeta && valuesOf(result, BETA_REGION).length > 0) result = renamed(result, BETA_REGION, REGION);
  if (result === terms) return required;
  return { nodeSelectorTerms: result };
}

const valuesOf = (terms: readonly NodeSelectorTerm[], key: string): readonly string[] =>
  terms.flatMap(({ matchExpressions = [] }) =>
    matchExpressions.flatMap((one) => (one.key === key && one.operator === 'In' ? (one.values ?? []) : [])),
  );

const renamed = (terms: readonly NodeSelectorTerm[], from: string, to: string): readonly NodeSelectorTerm[] =>
  terms.map((term) => ({
    ...term,
    ...(term.matchExpressions && {
      matchExpressions: term.matchExpressions.map((one) => (one.key === from ? { ...one, key: to } : one)),
    }),
  }));

/**
 * The test of a node's labels that a volume's affinity comes to: everything where it has none. The node's name plays no part.
 *
 * Source: k8s.io/component-helpers v0.36.2, storage/volume, `CheckNodeAffinity`.
 */
export function labelTest(required: NodeSelector | undefined): (labels: Labels) => boolean {
  if (required === undefined) return () => true;
  const { terms } = compileNodeSelector(required);
  return (labels) =>
    terms.some(
      ({ labels: requirements, errors }) => errors.length === 0 && requirements.every((one) => one.matches(labels)),
    );
}
