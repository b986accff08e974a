import type { Quantity } from '../quantity.js';

/** `PodResourcesOptions` (k8s.io/component-helpers v0.36.2, resource/helpers.go); by default each is off or empty. */
export interface PodResourcesOptions {
  /** Includes the pod's status, as for a pod on a node: the largest amount in spec and status counts. */
  readonly useStatusResources?: boolean;
  /** Excludes `spec.overhead`. */
  readonly excludeOverhead?: boolean;
  /** Excludes `spec.resources`. */
  readonly skipPodLevelResources?: boolean;
  /** With `useStatusResources`, includes the status of pod-level resources (`InPlacePodLevelResourcesVerticalScaling`). */
  readonly podLevelResize?: boolean;
  /** The request of each container that does not have the resource; for requests only. */
  readonly nonMissingContainerRequests?: ReadonlyMap<string, Quantity>;
}
