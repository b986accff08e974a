import type { JsonObject } from '../core/json/json-value.js';
import { decodeObject, type Decoded } from '../core/kubernetes/decode.js';
import type { TypeMeta } from './infer-kind.js';

/** Decodes and prunes: the one place where ingest meets Kubernetes' rules for objects. */
export function decodeStoredObject(value: JsonObject, type: TypeMeta): Decoded {
  return decodeObject(value, type);
}
