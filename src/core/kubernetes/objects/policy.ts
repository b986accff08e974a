import type { Int64, IntOrString, KubernetesObject, Timestamp } from './meta.js';
import type { LabelSelector } from './selectors.js';

/** `metav1.Condition`. */
export interface StatusCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: Int64;
  readonly lastTransitionTime?: Timestamp;
}

/** `policy/v1` PodDisruptionBudget. */
export interface PodDisruptionBudget extends KubernetesObject {
  readonly kind: 'PodDisruptionBudget';
  readonly spec?: {
    readonly minAvailable?: IntOrString;
    readonly maxUnavailable?: IntOrString;
    readonly selector?: LabelSelector;
    readonly unhealthyPodEvictionPolicy?: string;
  };
  readonly status?: {
    readonly observedGeneration?: number | bigint;
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
    readonly expectedPods?: number;
    /** Pods whose eviction was granted but not yet observed, by name. */
    readonly disruptedPods?: Readonly<Record<string, Timestamp>>;
    readonly conditions?: readonly StatusCondition[];
  };
}
