import type { Pod } from '../kubernetes/objects/pod.js';
import { Quantity } from '../kubernetes/quantity.js';
import { computeQos, countedForQos, podQos, qosParts, type QosClass } from './qos.js';

export type QosResource = 'cpu' | 'memory';

/** What decided on the class. */
export type QosReason =
  /** No part asks for cpu or memory above zero. */
  | { readonly code: 'NoRequestsOrLimits' }
  /** Every part limits both, and the sums of requests are those of limits. */
  | { readonly code: 'RequestsEqualLimits' }
  /** A part has no limit above zero: an init container counts too. */
  | { readonly code: 'LimitMissing'; readonly part: string; readonly resource: QosResource }
  /** The sums over all parts differ. */
  | {
      readonly code: 'SumsDiffer';
      readonly resource: QosResource;
      readonly requests: Quantity;
      readonly limits: Quantity;
    };

export interface QosExplanation {
  /** What counts: what the status says, or else the computed one. */
  readonly qosClass: QosClass;
  /** By the spec. */
  readonly computed: QosClass;
  /** Whether pod-level resources decided alone, so that containers were not looked at. */
  readonly byPodLevel: boolean;
  /** Why the computed one; for Burstable everything that keeps it from Guaranteed. */
  readonly reasons: readonly QosReason[];
}

const BOTH = ['cpu', 'memory'] as const;

/**
 * The quality of service class of a pod and what decided on it (`ComputePodQOS`, k8s.io/kubernetes v1.36.2,
 * pkg/apis/core/v1/helper/qos/qos.go). A part is a container, or the pod with pod-level resources, whose name is empty.
 *
 * @throws QuantityError for a text that is no quantity
 */
export function explainQos(pod: Pick<Pod, 'spec' | 'status'>): QosExplanation {
  const computed = computeQos(pod);
  return {
    qosClass: podQos(pod),
    computed,
    byPodLevel: pod.spec.resources !== undefined,
    reasons: computed === 'Burstable' ? burstableBecause(pod) : [{ code: WHY[computed] }],
  };
}

const WHY = { BestEffort: 'NoRequestsOrLimits', Guaranteed: 'RequestsEqualLimits' } as const;

function burstableBecause(pod: Pick<Pod, 'spec'>): readonly QosReason[] {
  const parts = qosParts(pod).map(({ name, resources }) => ({
    name,
    requests: countedForQos(resources.requests),
    limits: countedForQos(resources.limits),
  }));
  const missing = parts.flatMap(({ name, limits }) =>
    BOTH.filter((resource) => !limits.has(resource)).map((resource): QosReason => ({
      code: 'LimitMissing',
      part: name,
      resource,
    })),
  );
  const differing = BOTH.flatMap((resource): QosReason[] => {
    const sum = (which: 'requests' | 'limits'): Quantity =>
      parts.reduce((total, part) => total.add(part[which].get(resource) ?? Quantity.ZERO), Quantity.ZERO);
    const requests = sum('requests');
    const limits = sum('limits');
    return requests.cmp(limits) === 0 ? [] : [{ code: 'SumsDiffer', resource, requests, limits }];
  });
  return [...missing, ...differing];
}

/** A reason in words. */
export function qosReasonText(reason: QosReason): string {
  switch (reason.code) {
    case 'NoRequestsOrLimits':
      return 'there are no requests or limits for cpu or memory';
    case 'RequestsEqualLimits':
      return 'cpu and memory are limited everywhere, and the sums of requests and limits are equal';
    case 'LimitMissing':
      return `${reason.part === '' ? 'the pod' : `container ${reason.part}`} has no ${reason.resource} limit`;
    case 'SumsDiffer':
      return `the ${reason.resource} requests total ${reason.requests.toString()}, the limits ${reason.limits.toString()}`;
  }
}
