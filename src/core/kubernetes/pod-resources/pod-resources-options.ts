import type { Quantity } from '../quantity.js';

/** `PodResourcesOptions` (k8s.io/component-helpers v0.36.2, resource/helpers.go); each is off, or empty, by default. */
export interface PodResourcesOptions {
  /** Takes what the pod's status reports into account, as for a pod on a node: the largest of spec and status counts. */
  readonly useStatusResources?: boolean;
  /** Leaves `spec.overhead` out. */
  readonly excludeOverhead?: boolean;
  /** Leaves `spec.resources` out. */
  readonly skipPodLevelResources?: boolean;
  /** With `useStatusResources`, takes the status of pod-level resources into account too (`InPlacePodLevelResourcesVerticalScaling`). */
  readonly podLevelResize?: boolean;
  /** Counts as requested by each container that does not name the resource; requests only. */
  readonly nonMissingContainerRequests?: ReadonlyMap<string, Quantity>;
}
