import { isAbsent, onlyItem, withName, WORKLOAD_KINDS } from '../../core/admission/read-pod-manifest.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { decodeObject, type Decoded } from '../../core/kubernetes/decode.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';

const KINDS: readonly string[] = ['Pod', ...WORKLOAD_KINDS];

/** A manifest that is read, or as much of it as can be, with what is wrong in type. */
export type DecodedManifest = Exclude<Decoded, { outcome: 'ignored' }>;

/**
 * Decodes a manifest of a pod or of a workload, and refuses nothing that is wrong in it; a List of one will do.
 * @throws {InvalidRequestError} it is of a kind that makes no pods
 */
export function decodeManifest(given: JsonObject): DecodedManifest {
  const { value, pointer } = onlyItem(given, '/manifest');
  const isBare = isAbsent(value, 'apiVersion') && isAbsent(value, 'kind');
  const decoded = decodeObject(withName(value), isBare ? { apiVersion: 'v1', kind: 'Pod' } : {});
  const kind = decoded.outcome === 'object' ? decoded.object.kind : decoded.kind;
  if (decoded.outcome === 'ignored' || (kind !== undefined && !KINDS.includes(kind))) {
    const what = decoded.outcome === 'ignored' ? `${decoded.apiVersion} ${decoded.kind}` : kind;
    const message = `${what} makes no pods; give one of ${KINDS.join(', ')}`;
    throw new InvalidRequestError([
      { pointer: `${pointer}/kind`, field: 'manifest.kind', code: 'unsupported-kind', message },
    ]);
  }
  return decoded;
}
