import type { JsonObject } from '../../../src/core/json/json-value.js';
import { defaultPod } from '../../../src/core/kubernetes/defaults.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';

/** The pod of a vector, with the API server's defaults if the vector has `"defaults": true`. */
export function podInVector(input: JsonObject): Pod {
  const pod = input['pod'] as unknown as Pod;
  return input['defaults'] === true ? defaultPod(pod) : pod;
}
