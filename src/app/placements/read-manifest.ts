import { readPodManifest, type PodManifest } from '../../core/admission/read-pod-manifest.js';
import type { JsonObject } from '../../core/json/json-value.js';
import type { TolerationGates } from '../../core/kubernetes/toleration.js';
import { InvalidObjectError } from '../errors/invalid-object-error.js';

/**
 * Reads the manifest of a pod or workload out of a request; its pointer leads from the request.
 *
 * @param field the member of the request that it stands in; `workload` takes no Pod
 * @throws {InvalidObjectError} with everything that is wrong, in the API server's words, and pointers into the request
 */
export function readManifest(field: 'pod' | 'workload', given: JsonObject, gates: TolerationGates): PodManifest {
  const read = readPodManifest(field, given, gates);
  const pointer = `/${field}${read.pointer}`;
  if ('errors' in read) throw new InvalidObjectError(read.what, read.errors, pointer);
  return { ...read, pointer };
}
