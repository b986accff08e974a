import { admitPriority } from '../../../src/core/admission/priority.js';
import type { PriorityClass } from '../../../src/core/kubernetes/objects/scheduling.js';
import type { Op } from '../op.js';
import { admissionInVector, decodedList } from './admission-in-vector.js';

/** The pod's priority after the Priority plugin, or its refusal to the letter. */
export const priority: Op = {
  answer(input) {
    const classes = decodedList(input['priorityClasses']) as readonly PriorityClass[];
    return admissionInVector(
      input,
      (pod) => admitPriority(pod, classes),
      ({ priority: number, priorityClassName, preemptionPolicy }) => ({
        priority: number,
        // Go writes no empty name.
        priorityClassName: priorityClassName === '' ? undefined : priorityClassName,
        preemptionPolicy,
      }),
    );
  },
};
