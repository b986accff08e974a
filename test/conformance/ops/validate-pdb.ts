import type { PodDisruptionBudget } from '../../../src/core/kubernetes/objects/policy.js';
import { validatePodDisruptionBudget } from '../../../src/core/kubernetes/validation/pod-disruption-budget.js';
import { decodeManifest, refusedFields } from './refused-fields.js';

export const validatePDB = refusedFields(({ object }) =>
  validatePodDisruptionBudget(decodeManifest(object) as PodDisruptionBudget),
);
