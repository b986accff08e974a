import type { PodDisruptionBudget, StatusCondition } from '../objects/policy.js';
import { list, map, object } from './containers.js';
import { labelSelector, objectMeta } from './metadata.js';
import { constant, int32, int64, intOrString, string, time } from './scalars.js';
import { required } from './schema.js';

/** `v1.PodDisruptionBudgetSpec`. */
const podDisruptionBudgetSpec = object<NonNullable<PodDisruptionBudget['spec']>>({
  maxUnavailable: intOrString,
  minAvailable: intOrString,
  selector: labelSelector,
  unhealthyPodEvictionPolicy: string,
});

/** `metav1.Condition`, kept whole: its message explains why a sync failed, and the eviction API repeats it. */
const statusCondition = object<StatusCondition>({
  lastTransitionTime: time,
  message: string,
  observedGeneration: int64,
  reason: string,
  status: required(string),
  type: required(string),
});

/** `v1.PodDisruptionBudgetStatus`. */
const podDisruptionBudgetStatus = object<NonNullable<PodDisruptionBudget['status']>>({
  conditions: list(statusCondition),
  currentHealthy: int32,
  desiredHealthy: int32,
  disruptedPods: map(time),
  disruptionsAllowed: int32,
  expectedPods: int32,
  observedGeneration: int64,
});

/** `v1.PodDisruptionBudget`. */
export const podDisruptionBudget = object<PodDisruptionBudget>({
  apiVersion: required(string),
  kind: required(constant('PodDisruptionBudget')),
  metadata: required(objectMeta),
  spec: podDisruptionBudgetSpec,
  status: podDisruptionBudgetStatus,
});
