import { isAbsent, onlyItem, withName } from '../../core/admission/read-pod-manifest.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { decodeObject, type Decoded } from '../../core/kubernetes/decode.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { WORKLOAD_KINDS } from '../../core/kubernetes/pod-template.js';

const KINDS: readonly string[] = ['Pod', ...WORKLOAD_KINDS];

/** A manifest as far as it could be decoded, with its type errors. */
export type DecodedManifest = Exclude<Decoded, { outcome: 'ignored' }>;

/**
 * Decodes the manifest of a pod or workload, or a List with a single one, without rejecting invalid fields.
 * @param minor the minor version of the API server: fields that it does not have are unknown
 * @throws {InvalidRequestError} objects of this kind do not create pods
 */
export function decodeManifest(given: JsonObject, minor: number): DecodedManifest {
  const { value, pointer } = onlyItem(given, '/manifest');
  const isBare = isAbsent(value, 'apiVersion') && isAbsent(value, 'kind');
  const decoded = decodeObject(withName(value), {
    minor,
    ...(isBare ? { apiVersion: 'v1', kind: 'Pod' } : {}),
  });
  const kind = decoded.outcome === 'object' ? decoded.object.kind : decoded.kind;
  if (decoded.outcome === 'ignored' || (kind !== undefined && !KINDS.includes(kind))) {
    const what = decoded.outcome === 'ignored' ? `${decoded.apiVersion} ${decoded.kind}` : kind;
    const message = `${what} does not create pods; use one of ${KINDS.join(', ')}`;
    throw new InvalidRequestError([
      { pointer: `${pointer}/kind`, field: 'manifest.kind', code: 'unsupported-kind', message },
    ]);
  }
  return decoded;
}
