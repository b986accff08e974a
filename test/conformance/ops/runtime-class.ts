import { AdmissionRefusal } from '../../../src/core/admission/admission-refusal.js';
import { admitRuntimeClass } from '../../../src/core/admission/runtime-class.js';
import { decodeObject } from '../../../src/core/kubernetes/decode.js';
import { defaultPod } from '../../../src/core/kubernetes/defaults.js';
import type { KubernetesObject } from '../../../src/core/kubernetes/objects/meta.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';
import type { RuntimeClass } from '../../../src/core/kubernetes/objects/scheduling.js';
import type { JsonValue } from '../../../src/core/json/json-value.js';
import type { Op } from '../op.js';

/** The pod after the RuntimeClass plugin, or its refusal to the letter. */
export const runtimeClass: Op = {
  answer(input) {
    const pod = defaultPod(decoded(input['pod']) as Pod);
    const classes = new Map(
      (input['runtimeClasses'] as JsonValue[]).map((value) => {
        const object = decoded(value) as RuntimeClass;
        return [object.metadata.name, object];
      }),
    );
    try {
      const { overhead, nodeSelector, tolerations } = admitRuntimeClass(pod, (name) => classes.get(name)).spec;
      return { overhead: filled(overhead), nodeSelector: filled(nodeSelector), tolerations: filled(tolerations) };
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

/** Go writes no empty list or map. */
const filled = <T extends object>(value: T | undefined): T | undefined =>
  value === undefined || Object.keys(value).length === 0 ? undefined : value;
