import { compare } from '../json/compare.js';
import { floatGo } from '../kubernetes/go-text.js';
import type { ResourceList } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { LimitRangeItem } from '../kubernetes/objects/quota.js';
import type { PersistentVolumeClaim } from '../kubernetes/objects/storage.js';
import { aggregateContainerLimits } from '../kubernetes/pod-resources/pod-limits.js';
import { aggregateContainerRequests } from '../kubernetes/pod-resources/pod-requests.js';
import { parseResourceList, type ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';
import { decodeQuantity, Quantity } from '../kubernetes/quantity.js';

/** What a container, or a pod as a whole, asks for and is held to. */
interface Asked {
  readonly requests: ResourceAmounts;
  readonly limits: ResourceAmounts;
}

/**
 * Everything about a pod that an item of a LimitRange does not allow, in upstream's words, container by container and by the names
 * of resources; upstream takes those in no certain order.
 *
 * An item of type Pod judges the sums, overhead left out; requests and limits of the pod itself take their place, for cpu and memory.
 *
 * Source: k8s.io/kubernetes v1.36.2, plugin/pkg/admission/limitranger/admission.go, `PodValidateLimitFunc`.
 *
 * @param item with its defaults
 * @throws QuantityError for a text that is no quantity
 */
export function limitFaults(item: LimitRangeItem, pod: Pod): string[] {
  return judgedBy(item, pod).flatMap((asked) => [
    ...faults(item.min, (name, enforced) => belowMinimum(item.type, name, enforced, asked)),
    ...faults(item.max, (name, enforced) => aboveMaximum(item.type, name, enforced, asked)),
    ...faults(item.maxLimitRequestRatio, (name, enforced) => aboveRatio(item.type, name, enforced, asked)),
  ]);
}

/**
 * The same of a claim, which has requests only (`PersistentVolumeClaimValidateLimitFunc`).
 *
 * @param item of type PersistentVolumeClaim
 * @throws QuantityError for a text that is no quantity
 */
export function claimLimitFaults(item: LimitRangeItem, claim: PersistentVolumeClaim): string[] {
  const asked: Asked = { requests: parseResourceList(claim.spec?.resources?.requests), limits: new Map() };
  return [
    ...faults(item.min, (name, enforced) => belowMinimum(item.type, name, enforced, asked)),
    ...faults(item.max, (name, enforced) => aboveMaximumRequest(item.type, name, enforced, asked)),
  ];
}

function judgedBy({ type }: LimitRangeItem, pod: Pod): readonly Asked[] {
  const { containers, initContainers = [], resources } = pod.spec;
  if (type === 'Container') {
    return [...containers, ...initContainers].map((container) => ({
      requests: parseResourceList(container.resources?.requests),
      limits: parseResourceList(container.resources?.limits),
    }));
  }
  if (type !== 'Pod') return [];
  const { spec } = pod;
  return [
    {
      requests: overridden(aggregateContainerRequests({ spec }), resources?.requests),
      limits: overridden(aggregateContainerLimits({ spec }), resources?.limits),
    },
  ];
}

function overridden(sums: ResourceAmounts, ofPod: ResourceList | undefined): ResourceAmounts {
  for (const [name, amount] of parseResourceList(ofPod)) {
    if (name === 'cpu' || name === 'memory') sums.set(name, amount);
  }
  return sums;
}

function faults(list: ResourceList = {}, check: (name: string, enforced: Quantity) => string | undefined): string[] {
  return Object.entries(list)
    .sort(([a], [b]) => compare(a, b))
    .flatMap(([name, text]) => check(name, decodeQuantity(text)) ?? []);
}

function belowMinimum(type: string, name: string, enforced: Quantity, asked: Asked): string | undefined {
  const [request, limit] = [asked.requests.get(name), asked.limits.get(name)];
  const values = comparable(request, limit, enforced);
  const minimum = `minimum ${name} usage per ${type} is ${enforced.toString()}`;
  if (request === undefined) return `${minimum}.  No request is specified`;
  if (values.request < values.enforced) return `${minimum}, but request is ${request.toString()}`;
  if (limit !== undefined && values.limit < values.enforced) return `${minimum}, but limit is ${limit.toString()}`;
  return undefined;
}

function aboveMaximum(type: string, name: string, enforced: Quantity, asked: Asked): string | undefined {
  const [request, limit] = [asked.requests.get(name), asked.limits.get(name)];
  const values = comparable(request, limit, enforced);
  const maximum = `maximum ${name} usage per ${type} is ${enforced.toString()}`;
  if (limit === undefined) return `${maximum}.  No limit is specified`;
  if (values.limit > values.enforced) return `${maximum}, but limit is ${limit.toString()}`;
  if (request !== undefined && values.request > values.enforced) {
    return `${maximum}, but request is ${request.toString()}`;
  }
  return undefined;
}

/** `maxRequestConstraint`. */
function aboveMaximumRequest(type: string, name: string, enforced: Quantity, asked: Asked): string | undefined {
  const request = asked.requests.get(name);
  const values = comparable(request, undefined, enforced);
  const maximum = `maximum ${name} usage per ${type} is ${enforced.toString()}`;
  if (request === undefined) return `${maximum}.  No request is specified`;
  return values.request > values.enforced ? `${maximum}, but request is ${request.toString()}` : undefined;
}

function aboveRatio(type: string, name: string, enforced: Quantity, asked: Asked): string | undefined {
  const values = comparable(asked.requests.get(name), asked.limits.get(name), enforced);
  const maximum = `${name} max limit to request ratio per ${type} is ${enforced.toString()}`;
  if (values.request === 0n) return `${maximum}, but no request is specified or request is 0`;
  if (values.limit === 0n) return `${maximum}, but no limit is specified or limit is 0`;
  // In doubles, as upstream: the last digits decide nothing but the words.
  const ratio = Number(values.limit) / Number(values.request);
  const inMillis = enforced.value() <= MAX_MILLI_VALUE;
  const isAbove = inMillis ? ratio * 1000 > Number(enforced.milliValue()) : ratio > Number(enforced.value());
  return isAbove ? `${maximum}, but provided ratio is ${floatGo(ratio)}` : undefined;
}

/** The largest whole number whose thousandths an int64 holds. */
const MAX_MILLI_VALUE = (2n ** 63n - 1n) / 1000n;

/** The three in thousandths if all of them can be, else in whole units; what is absent is 0 (`requestLimitEnforcedValues`). */
function comparable(
  request: Quantity = Quantity.ZERO,
  limit: Quantity = Quantity.ZERO,
  enforced: Quantity,
): { readonly request: bigint; readonly limit: bigint; readonly enforced: bigint } {
  const fits = [request, limit, enforced].every((quantity) => quantity.value() <= MAX_MILLI_VALUE);
  const valueOf = (quantity: Quantity): bigint => (fits ? quantity.milliValue() : quantity.value());
  return { request: valueOf(request), limit: valueOf(limit), enforced: valueOf(enforced) };
}
