import type { Pod } from '../kubernetes/objects/pod.js';
import { Quantity } from '../kubernetes/quantity.js';
import { computeQos, countedForQos, podQos, qosParts, type QosClass } from './qos.js';

export type QosResource = 'cpu' | 'memory';

/** The reason for a QoS class. */
export type QosReason =
  /** No part has a request or limit for cpu or memory above zero. */
  | { readonly code: 'NoRequestsOrLimits' }
  /** Every part has limits for both, and the sums of requests equal those of limits. */
  | { readonly code: 'RequestsEqualLimits' }
  /** A part, possibly an init container, has no limit above zero. */
  | { readonly code: 'LimitMissing'; readonly part: string; readonly resource: QosResource }
  /** The sums over all parts differ. */
  | {
      readonly code: 'SumsDiffer';
      readonly resource: QosResource;
      readonly requests: Quantity;
      readonly limits: Quantity;
    };

export interface QosExplanation {
  /** The class that applies: that in the status, otherwise the computed one. */
  readonly qosClass: QosClass;
  /** The class computed from the spec. */
  readonly computed: QosClass;
  /** Whether only pod-level resources count, so that containers are ignored. */
  readonly byPodLevel: boolean;
  /** The reasons for the computed class; for Burstable, everything that prevents Guaranteed. */
  readonly reasons: readonly QosReason[];
}

const BOTH = ['cpu', 'memory'] as const;

/**
 * The QoS class of a pod, with reasons (`ComputePodQOS`, k8s.io/kubernetes v1.36.2,
 * pkg/apis/core/v1/helper/qos/qos.go). A part is a container, or, with pod-level resources, the pod itself, with an
 * empty name.
 *
 * @throws QuantityError for an invalid quantity
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

/** A reason as text. */
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
