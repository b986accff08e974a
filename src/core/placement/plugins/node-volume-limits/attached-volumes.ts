import type { ClusterState } from '../../../cluster/cluster-state.js';
import type { PodSpec } from '../../../kubernetes/objects/pod.js';
import type { PersistentVolumeClaim, VolumeAttachment } from '../../../kubernetes/objects/storage.js';
import {
  driverOfProvisioner,
  driverVolume,
  inlineDriverVolume,
  isMigratable,
  type DriverVolume,
} from '../../volumes/in-tree-volume.js';
import { classOfClaim, claimNameOf, notFound, notOwned, VolumeObjects } from '../../volumes/pod-claims.js';

/** Volumes that count, by `driver/handle`, each with its driver. */
export type DriverVolumes = Map<string, string>;

/** Why a pod's volumes cannot be counted, in Kubernetes' words. */
export interface VolumeFault {
  readonly message: string;
  /** A claim is not there: the pod can go nowhere until it is. */
  readonly isNotFound: boolean;
  readonly claim?: string;
}

export interface PodOfVolumes {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly spec: PodSpec;
}

/**
 * The volumes of a pod that count against the limits of a node. Those of Kubernetes' own types count only on a node with a CSINode. A
 * claim without a volume counts as one of its class' provisioner; a claim that is not there counts for nothing in a pod that runs.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/nodevolumelimits/csi.go, `filterAttachableVolumes`.
 */
export function driverVolumes(
  state: ClusterState,
  pod: PodOfVolumes,
  { hasCsiNode, mustExist }: { readonly hasCsiNode: boolean; readonly mustExist: boolean },
): DriverVolumes | VolumeFault {
  const objects = new VolumeObjects(state);
  const found: DriverVolumes = new Map();
  const add = ({ driver, handle }: DriverVolume): unknown =>
    driver === '' || handle === '' ? undefined : found.set(`${driver}/${handle}`, driver);
  for (const volume of pod.spec.volumes ?? []) {
    const claimName = claimNameOf(volume, pod.name);
    if (claimName === undefined) {
      const inline = hasCsiNode ? inlineDriverVolume(volume) : undefined;
      if (inline === undefined) continue;
      if ('message' in inline) {
        const message = `converting volume(${volume.name}) from inline to csi: ${inline.message}`;
        return { message, isNotFound: false };
      }
      // A disk in the pod counts even where its handle is empty.
      found.set(`${inline.driver}/${inline.handle}`, inline.driver);
      continue;
    }
    if (claimName === '') return { message: 'PersistentVolumeClaim had no name', isNotFound: false };
    const key = `${pod.namespace}/${claimName}`;
    const claim = objects.claim(pod.namespace, claimName);
    if (claim === undefined) {
      if (!mustExist) continue;
      const message = `looking up PVC ${key}: ${notFound('persistentvolumeclaim', claimName)}`;
      return { message, isNotFound: true, claim: key };
    }
    const fault = volume.persistentVolumeClaim === undefined ? notOwned(claim, pod) : undefined;
    if (fault !== undefined) return { message: fault, isNotFound: false, claim: key };
    const one = volumeOfClaim(objects, claim, hasCsiNode);
    if (one !== undefined) add(one);
  }
  return found;
}

function volumeOfClaim(
  objects: VolumeObjects,
  claim: PersistentVolumeClaim,
  hasCsiNode: boolean,
): DriverVolume | undefined {
  const volumeName = claim.spec?.volumeName ?? '';
  const volume = volumeName === '' ? undefined : objects.volume(volumeName);
  if (volume !== undefined) {
    return volume.spec?.csi !== undefined || hasCsiNode ? driverVolume(volume) : undefined;
  }
  const className = classOfClaim(claim);
  const storageClass = className === '' ? undefined : objects.storageClass(className);
  if (storageClass === undefined) return undefined;
  const driver = driverOfProvisioner(storageClass.provisioner, hasCsiNode);
  const { name, namespace = '' } = claim.metadata;
  // No driver's handle begins so.
  return driver === undefined ? undefined : { driver, handle: `\u0000${namespace}/${name}` };
}

/**
 * Whether a pod may attach volumes of a driver to some node, as far as the loaded kinds say. Volumes on a path of the node, local disks
 * and network file systems attach nothing, and no driver has a name with a slash (such as `kubernetes.io/no-provisioner`), so neither
 * needs a CSINode to be decided.
 *
 * Source: `driverVolumes`; k8s.io/kubernetes v1.36.2, pkg/apis/storage/validation/validation.go, `ValidateCSIDriverName`.
 */
export function mayAttach(state: ClusterState, pod: PodOfVolumes): boolean {
  const { loadedKinds } = state;
  const objects = new VolumeObjects(state);
  for (const volume of pod.spec.volumes ?? []) {
    const claimName = claimNameOf(volume, pod.name);
    if (claimName === undefined) {
      if (isMigratable(volume)) return true;
      continue;
    }
    if (!loadedKinds.has('PersistentVolumeClaim')) return true;
    const claim = objects.claim(pod.namespace, claimName);
    // The claim itself keeps the pod from every node.
    if (claim === undefined) return false;
    if (volume.persistentVolumeClaim === undefined && notOwned(claim, pod) !== undefined) return false;
    const isNamed = (claim.spec?.volumeName ?? '') !== '';
    if (isNamed && !loadedKinds.has('PersistentVolume')) return true;
    const isBound = isNamed && objects.volume(claim.spec!.volumeName!) !== undefined;
    if (!isBound && classOfClaim(claim) !== '' && !loadedKinds.has('StorageClass')) return true;
    const attached = volumeOfClaim(objects, claim, true);
    if (attached !== undefined && !attached.driver.includes('/')) return true;
  }
  return false;
}

/** What is attached to a node. */
interface Attached {
  /** The volumes of its pods. */
  readonly byPods: DriverVolumes;
  /** How many volumes of each driver, those attached without a pod included. */
  readonly perDriver: ReadonlyMap<string, number>;
}

/** What was counted in a state: what its pods hold of each node, and what is attached. */
interface Counted {
  readonly nodes: Map<number, Attached | VolumeFault>;
  attachments: ReadonlyMap<string, DriverVolumes> | undefined;
}

const counted = new WeakMap<ClusterState, Counted>();

/** What is attached to a node with a CSINode, by its pods, by pods taken to be there, and otherwise. Counted once in a state. */
export function attachedTo(state: ClusterState, node: number, extra: readonly number[]): Attached | VolumeFault {
  let known = counted.get(state);
  if (known === undefined) counted.set(state, (known = { nodes: new Map(), attachments: undefined }));
  const before = extra.length === 0 ? known.nodes.get(node) : undefined;
  if (before !== undefined) return before;
  known.attachments ??= attachmentsByNode(state);
  const attached = count(state, node, extra, known.attachments.get(state.nodes.name(node)));
  if (extra.length === 0) known.nodes.set(node, attached);
  return attached;
}

function count(
  state: ClusterState,
  node: number,
  extra: readonly number[],
  attachments: DriverVolumes | undefined,
): Attached | VolumeFault {
  const { pods, nodes } = state;
  const byPods: DriverVolumes = new Map();
  for (const pod of [...nodes.podsOf(node), ...extra]) {
    const spec = pods.specOf(pods.specId(pod));
    if ((spec.volumes ?? []).length === 0 || !pods.active(pod)) continue;
    const of = { name: pods.name(pod), namespace: pods.namespace(pod), uid: pods.uid(pod), spec };
    const volumes = driverVolumes(state, of, { hasCsiNode: true, mustExist: false });
    if (!(volumes instanceof Map)) return volumes;
    for (const [id, driver] of volumes) byPods.set(id, driver);
  }
  const perDriver = new Map<string, number>();
  const add = (driver: string): unknown => perDriver.set(driver, (perDriver.get(driver) ?? 0) + 1);
  for (const driver of byPods.values()) add(driver);
  for (const [id, driver] of attachments ?? []) if (!byPods.has(id)) add(driver);
  return { byPods, perDriver };
}

/** The volumes of drivers that are attached, by the name of the node (`getNodeVolumeAttachmentInfo`). */
function attachmentsByNode(state: ClusterState): ReadonlyMap<string, DriverVolumes> {
  const objects = new VolumeObjects(state);
  const found = new Map<string, DriverVolumes>();
  for (const { spec } of objects.attachments) {
    const csi = spec === undefined ? undefined : csiOf(objects, spec);
    if (spec === undefined || csi === undefined || spec.attacher === '') continue;
    const volumes = found.get(spec.nodeName) ?? new Map<string, string>();
    volumes.set(`${spec.attacher}/${csi.volumeHandle}`, spec.attacher);
    found.set(spec.nodeName, volumes);
  }
  return found;
}

function csiOf(
  objects: VolumeObjects,
  { source }: NonNullable<VolumeAttachment['spec']>,
): { readonly volumeHandle: string } | undefined {
  const name = source?.persistentVolumeName;
  return name === undefined ? undefined : objects.volume(name)?.spec?.csi;
}
