import { admitRuntimeClass } from '../../../src/core/admission/runtime-class.js';
import type { RuntimeClass } from '../../../src/core/kubernetes/objects/scheduling.js';
import type { Op } from '../op.js';
import { admissionInVector, decodedList } from './admission-in-vector.js';

/** The pod after the RuntimeClass plugin, or its refusal to the letter. */
export const runtimeClass: Op = {
  answer(input) {
    const list = decodedList(input['runtimeClasses']) as readonly RuntimeClass[];
    const classes = new Map(list.map((object) => [object.metadata.name, object]));
    return admissionInVector(
      input,
      (pod) => admitRuntimeClass(pod, (name) => classes.get(name)),
      ({ overhead, nodeSelector, tolerations }) => ({
        overhead: filled(overhead),
        nodeSelector: filled(nodeSelector),
        tolerations: filled(tolerations),
      }),
    );
  },
};

/** Go writes no empty list or map. */
const filled = <T extends object>(value: T | undefined): T | undefined =>
  value === undefined || Object.keys(value).length === 0 ? undefined : value;
