import { defined } from '../core/collections/defined.js';
import type { JsonObject } from '../core/json/json-value.js';
import { decodeObject, type Decoded } from '../core/kubernetes/decode.js';
import { validateStoredObject } from '../core/kubernetes/validation/stored-object.js';
import type { FieldError } from '../core/kubernetes/field-error.js';
import type { TypeMeta } from './infer-kind.js';
import { checkListLengths } from './list-limits.js';

/** An object that is not kept, however much else of it could be: every question would pay for it. */
export interface ExcessiveObject {
  readonly outcome: 'excessive';
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly errors: readonly FieldError[];
}

/**
 * Decodes, prunes and validates: the one place where ingest meets Kubernetes' rules for objects. An object that decodes
 * and does not validate can still be kept as it is, if it has a name.
 */
export function decodeStoredObject(value: JsonObject, type: TypeMeta): Decoded | ExcessiveObject {
  const decoded = decodeObject(value, { ...type, unbounded: true });
  if (decoded.outcome === 'ignored') return decoded;
  const object = decoded.outcome === 'object' ? decoded.object : decoded.salvage;
  // Before the rules, some of which compare every entry of a list with the others.
  const excess = object === undefined ? [] : checkListLengths(object);
  if (object !== undefined && excess.length > 0) {
    const { kind, metadata } = object;
    const { name, namespace } = metadata;
    return { outcome: 'excessive', kind, name, ...(namespace !== undefined && { namespace }), errors: excess };
  }
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
    ...defined({ namespace }),
    errors,
    ...(name !== '' && { salvage: decoded.object }),
    info,
  };
}
