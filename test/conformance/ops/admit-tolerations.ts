import { withDefaultTolerations } from '../../../src/core/admission/default-toleration-seconds.js';
import { admitExtendedResources } from '../../../src/core/admission/extended-resource-toleration.js';
import { decodeObject } from '../../../src/core/kubernetes/decode.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';
import type { Op } from '../op.js';
import { writtenTolerations } from './written-tolerations.js';

/** The tolerations after DefaultTolerationSeconds, then after ExtendedResourceToleration, of a pod that is not defaulted. */
export const admitTolerations: Op = {
  answer(input) {
    const decoded = decodeObject(input['pod'] ?? null, { apiVersion: 'v1', kind: 'Pod' });
    if (decoded.outcome !== 'object') throw new Error(`not a pod: ${JSON.stringify(decoded)}`);
    const pod = withDefaultTolerations(decoded.object as Pod);
    return {
      defaultTolerationSeconds: writtenTolerations(pod.spec.tolerations),
      extendedResourceToleration: writtenTolerations(admitExtendedResources(pod).spec.tolerations),
    };
  },
};
