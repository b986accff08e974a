import { admitTolerationRestriction } from '../../../src/core/admission/pod-toleration-restriction.js';
import type { JsonObject } from '../../../src/core/json/json-value.js';
import type { Toleration } from '../../../src/core/kubernetes/objects/taints.js';
import type { Op } from '../op.js';
import { admissionInVector, namespaceInVector } from './admission-in-vector.js';
import { writtenTolerations } from './written-tolerations.js';

/** The tolerations after the PodTolerationRestriction plugin, or its exact refusal, including the JSON parser's message. */
export const podTolerationRestriction: Op = {
  answer(input) {
    const restriction = {
      ...listed(input, 'default', 'clusterDefault'),
      ...listed(input, 'whitelist', 'clusterWhitelist'),
    };
    return admissionInVector(
      input,
      (pod) => admitTolerationRestriction(pod, namespaceInVector(input, pod), restriction),
      ({ tolerations }) => ({ tolerations: writtenTolerations(tolerations) }),
    );
  },
};

const listed = (input: JsonObject, name: 'default' | 'whitelist', field: string): object =>
  Object.hasOwn(input, field) ? { [name]: input[field] as unknown as readonly Toleration[] } : {};
