import { defined } from '../core/collections/defined.js';
import type { JsonObject } from '../core/json/json-value.js';
import { decodeObject, type Decoded } from '../core/kubernetes/decode.js';
import { validateStoredObject } from '../core/kubernetes/validation/stored-object.js';
import type { FieldError } from '../core/kubernetes/field-error.js';
import type { TypeMeta } from './infer-kind.js';
import { checkListLengths } from './list-limits.js';

/** An object that is not stored because of its list length, even if the rest is valid: every query would be slower. */
export interface ExcessiveObject {
  readonly outcome: 'excessive';
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly errors: readonly FieldError[];
}

/**
 * Decodes, prunes and validates an object. Only this function applies the rules of Kubernetes during ingest. An object
 * that decodes but does not validate can still be stored as it is, if it has a name.
 */
export function decodeStoredObject(value: JsonObject, type: TypeMeta): Decoded | ExcessiveObject {
  const decoded = decodeObject(value, { ...type, unbounded: true });
  if (decoded.outcome === 'ignored') return decoded;
  const object = decoded.outcome === 'object' ? decoded.object : decoded.salvage;
  // Check this before the rules, some of which compare every pair of list entries.
  const excess = object === undefined ? [] : checkListLengths(object);
  if (object !== undefined && excess.length > 0) {
    const { kind, metadata } = object;
    const { name, namespace } = metadata;
    return { outcome: 'excessive', kind, name, ...(namespace !== undefined && { namespace }), errors: excess };
  }
  const errors = object === undefined ? [] : validateStoredObject(object);
  if (decoded.outcome === 'invalid') {
    // The salvage lacks the fields that did not decode. Do not report them as missing again.
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
    ...defined({ namespace }),
    errors,
    ...(name !== '' && { salvage: decoded.object }),
    info,
  };
}
