import { readPodManifest, type PodManifest } from '../../core/admission/read-pod-manifest.js';
import type { JsonObject } from '../../core/json/json-value.js';
import type { TolerationGates } from '../../core/kubernetes/toleration.js';
import { InvalidObjectError } from '../errors/invalid-object-error.js';

/**
 * Parses the manifest of a pod or workload in a request.
 *
 * @param field the member of the request that contains it; `workload` does not accept a Pod
 * @throws {InvalidObjectError} with every error, in the API server's wording, and JSON pointers into the request
 */
export function readManifest(field: 'pod' | 'workload', given: JsonObject, gates: TolerationGates): PodManifest {
  const read = readPodManifest(field, given, gates);
  const pointer = `/${field}${read.pointer}`;
  if ('errors' in read) throw new InvalidObjectError(read.what, read.errors, pointer);
  return { ...read, pointer };
}
