import type { PodDisruptionBudget } from '../objects/policy.js';
import { list, map, object } from './containers.js';
import { condition, labelSelector, objectMeta } from './metadata.js';
import { constant, int32, int64, intOrString, string, time } from './scalars.js';
import { required } from './schema.js';

/** `v1.PodDisruptionBudgetSpec`. */
const podDisruptionBudgetSpec = object<NonNullable<PodDisruptionBudget['spec']>>({
  maxUnavailable: intOrString,
  minAvailable: intOrString,
  selector: labelSelector,
  unhealthyPodEvictionPolicy: string,
});

/** `v1.PodDisruptionBudgetStatus`. */
const podDisruptionBudgetStatus = object<NonNullable<PodDisruptionBudget['status']>>(
  {
    currentHealthy: int32,
    desiredHealthy: int32,
    disruptedPods: map(time),
    disruptionsAllowed: int32,
    expectedPods: int32,
    observedGeneration: int64,
  },
  {
    conditions: list(condition),
  },
);

/** `v1.PodDisruptionBudget`. */
export const podDisruptionBudget = object<PodDisruptionBudget>({
  apiVersion: required(string),
  kind: required(constant('PodDisruptionBudget')),
  metadata: required(objectMeta),
  spec: podDisruptionBudgetSpec,
  status: podDisruptionBudgetStatus,
});
