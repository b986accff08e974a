import { AdmissionRefusal } from '../../../src/core/kubernetes/admission-refusal.js';
import { admitLimitRanges, validateLimitRanges } from '../../../src/core/admission/limit-ranger.js';
import type { LimitRange } from '../../../src/core/kubernetes/objects/quota.js';
import type { Container, Pod } from '../../../src/core/kubernetes/objects/pod.js';
import type { Op } from '../op.js';
import { decodedList, defaultedPod } from './admission-in-vector.js';

/** The resources of a pod after the LimitRanger plugin, or every complaint of its refusal. */
export const limitRanger: Op = {
  answer(input) {
    const limitRanges = decodedList(input['limitRanges']) as readonly LimitRange[];
    const pod = admitLimitRanges(defaultedPod(input), limitRanges);
    try {
      validateLimitRanges(pod, limitRanges);
    } catch (error) {
      if (error instanceof AdmissionRefusal) return refusal(error);
      throw error;
    }
    return resourcesOf(pod);
  },
};

const refusal = ({ status, message, reasons }: AdmissionRefusal): object => ({
  code: status,
  errors: [...reasons].sort(),
  error: reasons.length === 1 ? message : undefined,
});

function resourcesOf({ spec }: Pod): object {
  const listed = (containers: readonly Container[]): object[] =>
    containers.map(({ name, resources = {} }) => ({ name, resources }));
  return {
    containers: listed(spec.containers),
    initContainers: spec.initContainers && listed(spec.initContainers),
    resources: spec.resources,
  };
}
