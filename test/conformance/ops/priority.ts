import { AdmissionRefusal } from '../../../src/core/admission/admission-refusal.js';
import { admitPriority } from '../../../src/core/admission/priority.js';
import { decodeObject } from '../../../src/core/kubernetes/decode.js';
import { defaultPod } from '../../../src/core/kubernetes/defaults.js';
import type { KubernetesObject } from '../../../src/core/kubernetes/objects/meta.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';
import type { PriorityClass } from '../../../src/core/kubernetes/objects/scheduling.js';
import type { JsonValue } from '../../../src/core/json/json-value.js';
import type { Op } from '../op.js';

/** The pod's priority after the Priority plugin, or its refusal to the letter. */
export const priority: Op = {
  answer(input) {
    const pod = defaultPod(decoded(input['pod']) as Pod);
    const classes = (input['priorityClasses'] as JsonValue[]).map((value) => decoded(value) as PriorityClass);
    try {
      const { spec } = admitPriority(pod, classes);
      const { priority: number, priorityClassName, preemptionPolicy } = spec;
      // Go writes no empty name.
      return {
        priority: number,
        priorityClassName: priorityClassName === '' ? undefined : priorityClassName,
        preemptionPolicy,
      };
    } catch (error) {
      if (error instanceof AdmissionRefusal) return { code: error.status, error: error.message };
      throw error;
    }
  },
};

function decoded(value: JsonValue | undefined): KubernetesObject {
  const result = decodeObject(value ?? null);
  if (result.outcome !== 'object') throw new Error(`not an object: ${JSON.stringify(result)}`);
  return result.object;
}
