import type { LifecycleParameters } from './lifecycle-parameters.js';

/**
 * How much of a zone is not ready. `Initial` is a zone that no pass of the controller has counted yet; it runs at the rate of a
 * normal one.
 */
export type ZoneState = 'Initial' | 'Normal' | 'PartialDisruption' | 'FullDisruption';

/**
 * The state of a zone with so many nodes that are Ready and so many that are not (or have no Ready condition at all).
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
 * How many nodes a second get their NoExecute taint in a zone of that state and size, while some zone of the cluster still has
 * nodes that are ready: a zone that is wholly down keeps the full rate.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/nodelifecycle/node_lifecycle_controller.go, `setLimiterInZone`,
 * `ReducedQPSFunc` and `HealthyQPSFunc`.
 */
export function evictionRate(state: ZoneState, zoneSize: number, parameters: LifecycleParameters): number {
  if (state !== 'PartialDisruption') return parameters.nodeEvictionRate;
  return zoneSize > parameters.largeClusterSizeThreshold ? parameters.secondaryNodeEvictionRate : 0;
}
