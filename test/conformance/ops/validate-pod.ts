import { DEFAULT_RULES } from '../../../src/core/kubernetes/kubernetes-rules.js';
import type { WholePod } from '../../../src/core/kubernetes/objects/whole-pod.js';
import { validatePodUpdate } from '../../../src/core/kubernetes/validation/pod/validate-pod-update.js';
import { newPod, validatePod as validate } from '../../../src/core/kubernetes/validation/pod/validate-pod.js';
import { decodeManifest, refusedFields } from './refused-fields.js';
import { tolerationGates } from './toleration-gates.js';

export const validatePod = refusedFields((input) => {
  const gates = tolerationGates(input);
  const pod = decodeManifest(input['pod']) as WholePod;
  if (input['updateOf'] === undefined) return validate(pod, gates);
  return validatePodUpdate(pod, newPod(decodeManifest(input['updateOf']) as WholePod, DEFAULT_RULES), gates);
});
