import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { ResourceList } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { podLimits } from '../kubernetes/pod-resources/pod-limits.js';
import { podRequests } from '../kubernetes/pod-resources/pod-requests.js';
import type { PodResourcesOptions } from '../kubernetes/pod-resources/pod-resources-options.js';
import type { ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity } from '../kubernetes/quantity.js';
import { canBeDevices, DEVICE_CLASS_PREFIX, isHugePageResource } from '../kubernetes/resource-names.js';
import { POD_OBJECT_COUNT, REQUESTS_PREFIX } from './quota-resources.js';

const ONE = Quantity.of(1);
const NANOSECONDS_PER_SECOND = 1_000_000_000n;
const NANOSECONDS_PER_MILLISECOND = 1_000_000n;

/** The fields of a pod that `activeAt` reads. */
export type EndingPod = Pick<Pod, 'status'> & {
  readonly metadata: Pick<Pod['metadata'], 'deletionTimestamp' | 'deletionGracePeriodSeconds'>;
};

/**
 * The charge of a pod to the quotas of its namespace (`PodUsageFunc`, k8s.io/kubernetes v1.36.2,
 * pkg/quota/v1/evaluator/core/pods.go).
 *
 * `count/pods` counts every stored pod; all other resources, `pods` included, only pods for which `isActiveForQuota`
 * holds. Requests and limits are the pod's effective ones, including overhead; while it is resized in place, the larger
 * of spec and status counts. Without the feature gates `InPlacePodVerticalScaling` and `PodLevelResources`, neither the status nor
 * `spec.resources` counts. A request for cpu is charged as `cpu` and as `requests.cpu`, one for `example.com/gpu`
 * only as `requests.example.com/gpu`.
 *
 * @param now in milliseconds since the epoch
 * @throws QuantityError for an invalid quantity
 */
export function podQuotaUsage(
  pod: Pick<Pod, 'metadata' | 'spec' | 'status'>,
  now: number,
  rules: KubernetesRules,
): ResourceAmounts {
  return isActiveForQuota(pod, now) ? activePodUsage(pod, rules) : endedPodUsage();
}

/** The charge of a pod that only counts as a stored object. */
export function endedPodUsage(): ResourceAmounts {
  return new Map([[POD_OBJECT_COUNT, ONE]]);
}

/**
 * The charge of an active pod.
 *
 * @throws QuantityError for an invalid quantity
 */
export function activePodUsage(
  pod: Pick<Pod, 'spec' | 'status'>,
  { minor, featureGates }: KubernetesRules,
): ResourceAmounts {
  const usage = endedPodUsage();
  const options: PodResourcesOptions = {
    useStatusResources: featureGates.InPlacePodVerticalScaling,
    skipPodLevelResources: !featureGates.PodLevelResources,
  };
  const amounts = computeUsage(podRequests(pod, options), podLimits(pod, options));
  for (const [name, amount] of amounts) usage.set(name, amount);
  if (minor < 35) {
    for (const name of usage.keys()) if (name.startsWith(OF_DEVICE_CLASSES)) usage.delete(name);
  }
  return usage;
}

/** Charged since 1.35. */
const OF_DEVICE_CLASSES = `${REQUESTS_PREFIX}${DEVICE_CLASS_PREFIX}`;

/**
 * Whether a pod is charged more than its stored object (`QuotaV1Pod`): its phase is neither Succeeded nor Failed, and
 * its deletion is not overdue.
 *
 * A pod that is being deleted counts until its `deletionTimestamp` plus its grace period (which the API server has
 * already included once): one deleted at 12:00:00 with a grace period of 30 s counts until 12:01:00. The grace period
 * overflows a signed 64-bit number of nanoseconds, as it does upstream.
 *
 * @param now in milliseconds since the epoch
 */
export function isActiveForQuota(pod: EndingPod, now: number): boolean {
  const phase = pod.status?.phase;
  if (phase === 'Failed' || phase === 'Succeeded') return false;
  return !isPast(countsForQuotaUntil(pod.metadata), now);
}

/** Whether a time in nanoseconds since the epoch is before another in milliseconds; false if it is undefined. */
export function isPast(nanoseconds: bigint | undefined, now: number): boolean {
  return nanoseconds !== undefined && BigInt(Math.floor(now)) * NANOSECONDS_PER_MILLISECOND > nanoseconds;
}

/**
 * The last time at which a pod that is being deleted counts, in nanoseconds since the epoch; undefined for other pods.
 */
export function countsForQuotaUntil({
  deletionTimestamp,
  deletionGracePeriodSeconds,
}: EndingPod['metadata']): bigint | undefined {
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return undefined;
  const deletedAt = Date.parse(deletionTimestamp);
  if (Number.isNaN(deletedAt)) return undefined;
  const grace = BigInt.asIntN(64, BigInt(deletionGracePeriodSeconds) * NANOSECONDS_PER_SECOND);
  return BigInt(deletedAt) * NANOSECONDS_PER_MILLISECOND + grace;
}

const BOTH_WAYS = ['cpu', 'memory', 'ephemeral-storage'] as const;

/** The names of requests and limits in a quota, `pods` among them (`podComputeUsageHelper`). */
function computeUsage(requests: ReadonlyMap<string, Quantity>, limits: ReadonlyMap<string, Quantity>): ResourceAmounts {
  const usage: ResourceAmounts = new Map([['pods', ONE]]);
  for (const name of BOTH_WAYS) {
    const request = requests.get(name);
    if (request !== undefined) usage.set(name, request).set(`${REQUESTS_PREFIX}${name}`, request);
    const limit = limits.get(name);
    if (limit !== undefined) usage.set(`limits.${name}`, limit);
  }
  for (const [name, request] of requests) {
    if (isHugePageResource(name)) usage.set(name, request).set(`${REQUESTS_PREFIX}${name}`, request);
    if (canBeDevices(name)) usage.set(`${REQUESTS_PREFIX}${name}`, request);
  }
  return usage;
}

/** The resources of one container, by their names in a quota: `pods` and those of its requests and limits. */
export function containerQuotaResources(requests: ResourceList = {}, limits: ResourceList = {}): ReadonlySet<string> {
  const named = (list: ResourceList): ReadonlyMap<string, Quantity> =>
    new Map(Object.keys(list).map((name) => [name, Quantity.ZERO]));
  return new Set(computeUsage(named(requests), named(limits)).keys());
}
