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

/** Where a container stands in a pod. */
export interface ContainerPlace {
  readonly list: 'containers' | 'initContainers';
  readonly index: number;
}

/** One thing that an item of a LimitRange does not allow. */
export interface LimitFault {
  /** In upstream's words. */
  readonly text: string;
  readonly rule: 'min' | 'max' | 'maxLimitRequestRatio';
  readonly resource: string;
  readonly enforced: Quantity;
  readonly request: Quantity | undefined;
  readonly limit: Quantity | undefined;
  /** Undefined for the pod as a whole. */
  readonly container: ContainerPlace | undefined;
}

/** What a container, or a pod as a whole, asks for and is held to. */
interface Asked {
  readonly container: ContainerPlace | undefined;
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
export function limitFaults(item: LimitRangeItem, pod: Pod): LimitFault[] {
  return judgedBy(item, pod).flatMap((asked) => [
    ...faults(item, 'min', belowMinimum, asked),
    ...faults(item, 'max', aboveMaximum, asked),
    ...faults(item, 'maxLimitRequestRatio', aboveRatio, asked),
  ]);
}

/**
 * The same of a claim, which has requests only (`PersistentVolumeClaimValidateLimitFunc`).
 *
 * @param item of type PersistentVolumeClaim
 * @throws QuantityError for a text that is no quantity
 */
export function claimLimitFaults(item: LimitRangeItem, claim: PersistentVolumeClaim): string[] {
  const requests = parseResourceList(claim.spec?.resources?.requests);
  const asked: Asked = { container: undefined, requests, limits: new Map() };
  return [...faults(item, 'min', belowMinimum, asked), ...faults(item, 'max', aboveMaximumRequest, asked)].map(
    ({ text }) => text,
  );
}

function judgedBy({ type }: LimitRangeItem, pod: Pod): readonly Asked[] {
  const { containers, initContainers = [], resources } = pod.spec;
  if (type === 'Container') {
    const all = [
      ...containers.map(({ resources: own }, index) => ({ own, list: 'containers' as const, index })),
      ...initContainers.map(({ resources: own }, index) => ({ own, list: 'initContainers' as const, index })),
    ];
    return all.map(({ own, list, index }) => ({
      container: { list, index },
      requests: parseResourceList(own?.requests),
      limits: parseResourceList(own?.limits),
    }));
  }
  if (type !== 'Pod') return [];
  const { spec } = pod;
  return [
    {
      container: undefined,
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

type CheckAsked = (type: string, resource: string, enforced: Quantity, asked: Asked) => string | undefined;

function faults(item: LimitRangeItem, rule: LimitFault['rule'], check: CheckAsked, asked: Asked): LimitFault[] {
  return Object.entries(item[rule] ?? {})
    .sort(([a], [b]) => compare(a, b))
    .flatMap(([resource, amount]) => {
      const enforced = decodeQuantity(amount);
      const text = check(item.type, resource, enforced, asked);
      if (text === undefined) return [];
      const [request, limit] = [asked.requests.get(resource), asked.limits.get(resource)];
      return [{ text, rule, resource, enforced, request, limit, container: asked.container }];
    });
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
