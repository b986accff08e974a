import { AdmissionRefusal } from '../../../src/core/kubernetes/admission-refusal.js';
import { decodeObject } from '../../../src/core/kubernetes/decode.js';
import { defaultPod } from '../../../src/core/kubernetes/defaults.js';
import type { KubernetesObject } from '../../../src/core/kubernetes/objects/meta.js';
import type { Namespace } from '../../../src/core/kubernetes/objects/namespace.js';
import type { Pod, PodSpec } from '../../../src/core/kubernetes/objects/pod.js';
import type { JsonObject, JsonValue } from '../../../src/core/json/json-value.js';

/** The result of an admission plugin for the vector's pod, formed by `answer`, or its exact refusal. */
export function admissionInVector(
  input: JsonObject,
  admit: (pod: Pod) => Pod,
  answer: (spec: PodSpec) => object,
): object {
  const pod = defaultedPod(input);
  try {
    return answer(admit(pod).spec);
  } catch (error) {
    if (error instanceof AdmissionRefusal) return { code: error.status, error: error.message };
    throw error;
  }
}

/** The pod of a vector, as it is before any plugin. */
export const defaultedPod = (input: JsonObject): Pod => defaultPod(decoded(input['pod']) as Pod);

/** The pod's namespace, if it is the only one that exists. */
export function namespaceInVector(input: JsonObject, pod: Pod): Namespace | undefined {
  const namespace = decoded(input['namespace']) as Namespace;
  return namespace.metadata.name === pod.metadata.namespace ? namespace : undefined;
}

/** The objects of a vector's list, as they are stored. */
export const decodedList = (values: JsonValue | undefined): readonly KubernetesObject[] =>
  (values as JsonValue[]).map(decoded);

function decoded(value: JsonValue | undefined): KubernetesObject {
  const result = decodeObject(value ?? null);
  if (result.outcome !== 'object') throw new Error(`not an object: ${JSON.stringify(result)}`);
  return result.object;
}
