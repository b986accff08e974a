import type { JsonObject } from '../core/json/json-value.js';
import { decodeObject, type Decoded } from '../core/kubernetes/decode.js';
import { validateStoredObject } from '../core/kubernetes/validation/stored-object.js';
import type { TypeMeta } from './infer-kind.js';

/**
 * Decodes, prunes and validates: the one place where ingest meets Kubernetes' rules for objects. An object that decodes
 * and does not validate can still be kept as it is, if it has a name.
 */
export function decodeStoredObject(value: JsonObject, type: TypeMeta): Decoded {
  const decoded = decodeObject(value, { ...type, unbounded: true });
  if (decoded.outcome === 'ignored') return decoded;
  const object = decoded.outcome === 'object' ? decoded.object : decoded.salvage;
  const errors = object === undefined ? [] : validateStoredObject(object);
  if (decoded.outcome === 'invalid') {
    // A field that did not decode is missing in the salvage; that it is missing is not an error of its own.
    const known = new Set(decoded.errors.map((error) => error.field));
    return { ...decoded, errors: [...decoded.errors, ...errors.filter((error) => !known.has(error.field))] };
  }
  if (errors.length === 0) return decoded;
  const { info } = decoded;
  const { namespace, name } = decoded.object.metadata;
  return {
    outcome: 'invalid',
    kind: info.kind,
    name,
    ...(namespace !== undefined && { namespace }),
    errors,
    ...(name !== '' && { salvage: decoded.object }),
    info,
  };
}
