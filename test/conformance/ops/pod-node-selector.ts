import { admitNodeSelector, type ClusterNodeSelectors } from '../../../src/core/admission/pod-node-selector.js';
import type { Op } from '../op.js';
import { admissionInVector, namespaceInVector } from './admission-in-vector.js';

/** The node selector after the PodNodeSelector plugin, or its refusal to the letter. */
export const podNodeSelector: Op = {
  answer(input) {
    const selectors = (input['clusterNodeSelectors'] ?? {}) as ClusterNodeSelectors;
    return admissionInVector(
      input,
      (pod) => admitNodeSelector(pod, namespaceInVector(input, pod), selectors),
      ({ nodeSelector = {} }) => ({ nodeSelector }),
    );
  },
};
