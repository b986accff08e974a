import type { Labels } from '../../../kubernetes/objects/meta.js';
import type { PersistentVolumeClaim, StorageClass } from '../../../kubernetes/objects/storage.js';
import { compileLabelSelector } from '../../../kubernetes/label-selector.js';
import { Quantity } from '../../../kubernetes/quantity.js';
import { newRequirement } from '../../../kubernetes/requirement.js';
import type { VolumeObjects } from '../../volumes/pod-claims.js';
import { storageSize } from './matching-volume.js';

/** Whether a volume can be made for a claim on a node: `yes`; or not there, or there is no room for it. */
export type Provisioning = 'yes' | 'no' | 'noRoom';

/** The provisioner that makes no volumes. */
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/**
 * A test of nodes for a claim whose volume is still to be made: by a provisioner that makes any, in a topology that the class allows,
 * and, where the driver tells how much room it has, with room for it.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/volumebinding/binder.go, `checkVolumeProvisions`.
 */
export function provisioningTest(
  objects: VolumeObjects,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
): (labels: Labels) => Provisioning {
  const { provisioner } = storageClass;
  if (provisioner === '' || provisioner === NO_PROVISIONER) return () => 'no';
  const allows = topologyTest(storageClass);
  const hasRoom = capacityTest(objects, claim, storageClass);
  return (labels) => (!allows(labels) ? 'no' : hasRoom(labels) ? 'yes' : 'noRoom');
}

/** `MatchTopologySelectorTerms`: terms are ORed; an empty one, or one that cannot be read, allows nothing. */
function topologyTest({ allowedTopologies = [] }: StorageClass): (labels: Labels) => boolean {
  if (allowedTopologies.length === 0) return () => true;
  const terms = allowedTopologies.flatMap(({ matchLabelExpressions = [] }) => {
    const read = matchLabelExpressions.map(({ key, values }) => newRequirement(key, 'in', values));
    const requirements = read.flatMap((one) => ('requirement' in one ? [one.requirement] : []));
    return requirements.length === 0 || requirements.length < read.length ? [] : [requirements];
  });
  return (labels) => terms.some((requirements) => requirements.every((one) => one.matches(labels)));
}

/** `hasEnoughCapacity`: only for drivers that say that they tell their capacities. */
function capacityTest(
  objects: VolumeObjects,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
): (labels: Labels) => boolean {
  const requests = claim.spec?.resources?.requests;
  if (requests === undefined || !Object.hasOwn(requests, 'storage')) return () => true;
  if (objects.csiDriver(storageClass.provisioner)?.spec?.storageCapacity !== true) return () => true;
  const size = storageSize(requests).value();
  const selectors = objects.capacities.flatMap((capacity) => {
    if (capacity.storageClassName !== storageClass.metadata.name || capacity.nodeTopology === undefined) return [];
    const text = capacity.maximumVolumeSize ?? capacity.capacity;
    if (text === undefined || bytes(text) < size) return [];
    const compiled = compileLabelSelector(capacity.nodeTopology);
    return 'selector' in compiled ? [compiled.selector] : [];
  });
  return (labels) => selectors.some((selector) => selector.matches(labels));
}

function bytes(text: string): bigint {
  try {
    return Quantity.parse(text).value();
  } catch {
    return 0n;
  }
}
