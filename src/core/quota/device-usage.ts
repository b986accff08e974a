import { controllerOf } from '../kubernetes/controller-of.js';
import { isExtendedClaimOf, isForExtendedResources } from '../kubernetes/extended-resource-claim.js';
import { microsecondsOf } from '../kubernetes/moment.js';
import type { DeviceClass, DeviceRequest, ExactDeviceRequest, ResourceClaim } from '../kubernetes/objects/dra.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { Quantity, QuantityError } from '../kubernetes/quantity.js';
import { DEVICE_CLASS_PREFIX } from '../kubernetes/resource-names.js';
import type { ChargingCluster, CountedObjects } from './counted-objects.js';
import { podQuotaUsage } from './pod-usage.js';
import { REQUESTS_PREFIX } from './quota-resources.js';

const DEVICES_OF_CLASS = '.deviceclass.resource.k8s.io/devices';
/** What a request for all devices is charged: an allocation has no more (`AllocationResultsMaxSize`). */
const MOST_DEVICES = 32n;
/** The first minor version in which claims are charged under the names of extended resources. */
const EXTENDED_SINCE = 35;

/**
 * How ResourceClaims are charged to a resource; undefined if they are not.
 *
 * A claim is charged, by class, what it asks for: of alternatives the greatest number, and for all devices 32. Where the feature gate
 * DRAExtendedResource is on, it is also charged under the names of the extended resources that the class stands behind, as pods are that
 * request these: a claim that the scheduler has made for a pod only what the pod is not charged already.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/quota/v1/evaluator/core/resource_claims.go.
 */
export function countedDevices(resource: string, cluster: ChargingCluster): CountedObjects | undefined {
  if (resource.endsWith(DEVICES_OF_CLASS)) {
    const deviceClass = resource.slice(0, -DEVICES_OF_CLASS.length);
    return { kind: 'ResourceClaim', charge: (claim) => devicesOf(claim, deviceClass) };
  }
  const classes = classesBehind(resource, cluster);
  if (classes.length === 0) return undefined;
  return {
    kind: 'ResourceClaim',
    dependsOn: ['DeviceClass', 'Pod'],
    charge: (claim) => chargedBesidesPod(claim as ResourceClaim, resource, classes, cluster),
  };
}

/** The classes that stand behind an extended resource of a quota (`MatchingResources`). */
function classesBehind(resource: string, { rules, objects }: ChargingCluster): readonly string[] {
  const { minor, featureGates } = rules;
  if (minor < EXTENDED_SINCE || !featureGates.DRAExtendedResource || !resource.startsWith(REQUESTS_PREFIX)) return [];
  const name = resource.slice(REQUESTS_PREFIX.length);
  return (objects('DeviceClass') as readonly DeviceClass[]).flatMap(({ metadata, spec }) =>
    spec?.extendedResourceName === name || `${DEVICE_CLASS_PREFIX}${metadata.name}` === name ? [metadata.name] : [],
  );
}

/** `addExtendedResourceQuota`. Of several classes behind one name upstream takes any; this is the one of which the claim asks for most. */
function chargedBesidesPod(
  claim: ResourceClaim,
  resource: string,
  classes: readonly string[],
  cluster: ChargingCluster,
): Quantity | undefined {
  const asked = classes.flatMap((deviceClass) => devicesOf(claim, deviceClass) ?? []);
  if (asked.length === 0) return undefined;
  const most = asked.reduce((one, other) => one.max(other));
  const ofPod = usageOfPod(claim, cluster)?.get(resource);
  const rest = ofPod === undefined ? most : most.sub(ofPod);
  return rest.sign() > 0 ? rest : undefined;
}

/** What the pod is charged that the scheduler has made the claim for (`getVerifiedPodUsage`). */
function usageOfPod(claim: ResourceClaim, cluster: ChargingCluster): ReadonlyMap<string, Quantity> | undefined {
  const pod = podOf(claim, cluster);
  if (pod === undefined) return undefined;
  try {
    return podQuotaUsage(pod, cluster.now, cluster.rules);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

function podOf(claim: ResourceClaim, { pod: find, objects }: ChargingCluster): Pod | undefined {
  if (!isForExtendedResources(claim)) return undefined;
  const { namespace = '', name, ownerReferences } = claim.metadata;
  const owner = controllerOf(ownerReferences);
  if (owner?.kind !== 'Pod' || owner.apiVersion !== 'v1') return undefined;
  const pod = find(namespace, owner.name);
  if (pod === undefined || pod.metadata.uid !== owner.uid) return undefined;
  const noted = pod.status?.extendedResourceClaimStatus;
  if (noted !== undefined) return noted.resourceClaimName === name ? pod : undefined;
  const others = (objects('ResourceClaim') as readonly ResourceClaim[]).filter((one) => isExtendedClaimOf(one, pod));
  return others.every((other) => other.metadata.name === name || !isBefore(other, claim)) ? pod : undefined;
}

/** Whether a claim counts as the first that was made for a pod. */
function isBefore(one: ResourceClaim, other: ResourceClaim): boolean {
  const [made, madeOther] = [one, other].map(
    ({ metadata: { creationTimestamp = '' } }) => microsecondsOf(creationTimestamp) ?? -Infinity,
  ) as [number, number];
  return made === madeOther ? one.metadata.name < other.metadata.name : made < madeOther;
}

/** The devices of a class that a claim is charged; undefined if it asks for none. */
function devicesOf(claim: KubernetesObject, deviceClass: string): Quantity | undefined {
  const requests = (claim as ResourceClaim).spec?.devices?.requests ?? [];
  const charges = requests.flatMap((request) => {
    const asked = alternativesOf(request).filter(({ deviceClassName }) => deviceClassName === deviceClass);
    return asked.length === 0 ? [] : [asked.map(countOf).reduce((most, count) => (count > most ? count : most))];
  });
  return charges.length === 0 ? undefined : Quantity.of(charges.reduce((sum, count) => sum + count));
}

const alternativesOf = ({ exactly, firstAvailable = [] }: DeviceRequest): readonly ExactDeviceRequest[] =>
  firstAvailable.length > 0 || exactly === undefined ? firstAvailable : [exactly];

function countOf({ allocationMode, count = 0 }: ExactDeviceRequest): bigint {
  if (allocationMode === 'All') return MOST_DEVICES;
  return allocationMode === 'ExactCount' ? BigInt(count) : 0n;
}
