import type { Labels } from '../../../kubernetes/objects/meta.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../kubernetes/objects/storage.js';
import { Quantity } from '../../../kubernetes/quantity.js';
import { compileLabelSelector } from '../../../kubernetes/label-selector.js';
import { classOfClaim, classOfVolume } from '../../volumes/pod-claims.js';
import { labelTest } from '../../volumes/in-tree-volume.js';

/** A stored volume that a claim may be bound to, with what is asked of it worked out once. */
export interface Candidate {
  readonly volume: PersistentVolume;
  readonly size: Quantity;
  readonly reaches: (labels: Labels) => boolean;
}

/** A claim that is to be bound, with what matches it on every node alike. */
export interface OpenClaim {
  readonly claim: PersistentVolumeClaim;
  readonly size: Quantity;
  /** Volumes that name the claim as theirs, then others; of the class of the claim. */
  readonly reserved: readonly Candidate[];
  readonly free: readonly Candidate[];
}

/** What the storage part of a list of resources comes to; nothing where it cannot be read. */
export function storageSize(list: Readonly<Record<string, string>> | undefined): Quantity {
  const text = list !== undefined && Object.hasOwn(list, 'storage') ? list['storage'] : undefined;
  try {
    return Quantity.parse(text ?? '0');
  } catch {
    return Quantity.parse('0');
  }
}

/**
 * The volumes that a claim could be bound to, apart from where they can be reached from: large enough, of its mode and attributes
 * class, and either reserved for it, or free, of its class and access modes and selected by it. Where its selector cannot be read,
 * the text that Kubernetes makes of it.
 *
 * Source: k8s.io/component-helpers v0.36.2, storage/volume/pv_helpers.go, `FindMatchingVolume`.
 */
export function openClaim(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): OpenClaim | { readonly message: string } {
  const { spec, metadata } = claim;
  const selector = spec?.selector === undefined ? undefined : compileLabelSelector(spec.selector);
  if (selector !== undefined && 'message' in selector) {
    const key = `${metadata.namespace ?? ''}/${metadata.name}`;
    return { message: `error creating internal label selector for claim: ${key}: ${selector.message}` };
  }
  const size = storageSize(spec?.resources?.requests);
  const reserved: Candidate[] = [];
  const free: Candidate[] = [];
  const wanted = classOfClaim(claim);
  for (const volume of volumes) {
    if (classOfVolume(volume) !== wanted) continue;
    const isReserved = isReservedFor(volume, claim);
    if (volume.spec?.claimRef !== undefined && !isReserved) continue;
    const capacity = storageSize(volume.spec?.capacity);
    if (capacity.cmp(size) < 0) continue;
    if ((spec?.volumeMode ?? 'Filesystem') !== (volume.spec?.volumeMode ?? 'Filesystem')) continue;
    if ((spec?.volumeAttributesClassName ?? '') !== (volume.spec?.volumeAttributesClassName ?? '')) continue;
    if (volume.metadata.deletionTimestamp !== undefined) continue;
    const candidate = { volume, size: capacity, reaches: labelTest(volume.spec?.nodeAffinity?.required) };
    if (isReserved) {
      reserved.push(candidate);
      continue;
    }
    if (volume.status?.phase !== 'Available') continue;
    if (selector !== undefined && !selector.selector.matches(volume.metadata.labels ?? {})) continue;
    const modes = volume.spec?.accessModes ?? [];
    if ((spec?.accessModes ?? []).every((mode) => modes.includes(mode))) free.push(candidate);
  }
  free.sort((a, b) => a.size.cmp(b.size));
  return { claim, size, reserved, free };
}

/** The volume for a claim on a node with these labels: one reserved for it, or else the smallest that is left. */
export function matchingVolume(
  { reserved, free }: OpenClaim,
  labels: Labels,
  chosen: ReadonlySet<string>,
): Candidate | undefined {
  const isLeft = ({ volume }: Candidate): boolean => !chosen.has(volume.metadata.name);
  const own = reserved.find(isLeft);
  // One that is reserved and cannot be reached leaves the claim without any.
  if (own !== undefined) return own.reaches(labels) ? own : undefined;
  return free.find((candidate) => isLeft(candidate) && candidate.reaches(labels));
}

/** Whether a volume names a claim as its own (`IsVolumeBoundToClaim`). */
function isReservedFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const reference = spec?.claimRef;
  if (reference === undefined) return false;
  const { name = '', namespace = '', uid = '' } = reference;
  if (name !== metadata.name || namespace !== (metadata.namespace ?? '')) return false;
  return uid === '' || uid === (metadata.uid ?? '');
}
