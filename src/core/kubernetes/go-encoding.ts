import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { formatGoDuration } from './go-duration.js';
import type { GoField, GoStruct, GoType } from './go-decoding.js';

/**
 * Encodes a decoded struct like Go's `json.Marshal`: fields without `omitempty` are written even if they were not given, and
 * empty fields with `omitempty` are omitted.
 */
export function encodeGo(value: JsonObject, type: GoStruct): JsonObject {
  const encoded = Object.create(null) as JsonObject;
  for (const [name, field] of type.fields) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    if (isLeftOut(member, field)) continue;
    encoded[name] = encodeValue(member, field.type);
  }
  return encoded;
}

function isLeftOut(member: JsonValue | undefined, { pointer, omitEmpty, type }: GoField): boolean {
  if (!omitEmpty) return false;
  if (pointer) return member === undefined;
  if (type.kind === 'struct' || type.kind === 'duration') return false;
  if (member === undefined || member === '' || member === false || member === 0 || member === 0n) return true;
  return typeof member === 'object' && member !== null && Object.keys(member).length === 0;
}

function encodeValue(value: JsonValue | undefined, type: GoType): JsonValue {
  switch (type.kind) {
    case 'struct':
      return encodeGo(isJsonObject(value) ? value : {}, type);
    case 'list':
      return Array.isArray(value) ? value.map((member) => encodeValue(member, type.of)) : null;
    case 'duration':
      return formatGoDuration(typeof value === 'bigint' ? value : 0n);
    case 'string':
      return value ?? '';
    case 'bool':
      return value ?? false;
    case 'int32':
    case 'int64':
    case 'float32':
      return value ?? 0;
    case 'bytes':
    case 'map':
    case 'raw':
      return value ?? null;
  }
}
