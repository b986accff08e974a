import type { LifecycleParameters } from './lifecycle-parameters.js';

/**
 * How much of a zone is not ready. `Initial` is a zone that no pass has counted yet; it has the rate of a normal zone.
 */
export type ZoneState = 'Initial' | 'Normal' | 'PartialDisruption' | 'FullDisruption';

/**
 * The state of a zone with these numbers of nodes that are ready and not ready (nodes without a Ready condition are not
 * ready).
 *
 * The share is computed in 32 bits, as upstream: 11 of 20 are 55% and reach a threshold of 0.55.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/nodelifecycle/node_lifecycle_controller.go, `ComputeZoneState`.
 */
export function computeZoneState(
  ready: number,
  notReady: number,
  { unhealthyZoneThreshold }: Pick<LifecycleParameters, 'unhealthyZoneThreshold'>,
): Exclude<ZoneState, 'Initial'> {
  if (ready === 0 && notReady > 0) return 'FullDisruption';
  const share = Math.fround(Math.fround(notReady) / Math.fround(notReady + ready));
  return notReady > 2 && share >= Math.fround(unhealthyZoneThreshold) ? 'PartialDisruption' : 'Normal';
}

/**
 * The number of nodes per second that get their NoExecute taint in a zone of that state and size, while at least one
 * zone of the cluster has ready nodes: a zone that is entirely down keeps the full rate.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/nodelifecycle/node_lifecycle_controller.go, `setLimiterInZone`,
 * `ReducedQPSFunc` and `HealthyQPSFunc`.
 */
export function evictionRate(state: ZoneState, zoneSize: number, parameters: LifecycleParameters): number {
  if (state !== 'PartialDisruption') return parameters.nodeEvictionRate;
  return zoneSize > parameters.largeClusterSizeThreshold ? parameters.secondaryNodeEvictionRate : 0;
}
