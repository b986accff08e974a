import { escapePointer } from '../json/escape-pointer.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { parseGoDuration } from './go-duration.js';

/** A type of a Go API, as its JSON decoder sees it. `name` is its name in errors: `v1.Plugins`, `int32`. */
export type GoType =
  | { readonly kind: 'string' | 'bool' | 'int32' | 'int64' | 'float32' | 'bytes'; readonly name: string }
  | GoStruct
  | { readonly kind: 'list'; readonly name: string; readonly of: GoType }
  | { readonly kind: 'map'; readonly name: string; readonly of: GoType }
  /** `metav1.Duration`. */
  | { readonly kind: 'duration'; readonly name: string }
  /** `runtime.RawExtension`: unchanged. */
  | { readonly kind: 'raw'; readonly name: string };

export interface GoStruct {
  readonly kind: 'struct';
  readonly name: string;
  /** The name without its package, used in faults for the fields below it; empty for an anonymous struct. */
  readonly label: string;
  readonly fields: ReadonlyMap<string, GoField>;
}

export interface GoField {
  readonly type: GoType;
  /** For a pointer, null equals absent, and an empty value is still a value. */
  readonly pointer: boolean;
  /** `omitempty`: an empty value is not written. */
  readonly omitEmpty: boolean;
}

/** A fault in a document, with the decoder's message and a JSON pointer. */
export interface DecodingFault {
  /** `abort`: decoding ended here. `type`: a value of another type. `strict`: a field that the type lacks. */
  readonly kind: 'abort' | 'type' | 'strict';
  readonly message: string;
  readonly pointer: string;
}

export interface GoDecoded {
  /** The decoded fields of the type, without those that are null or absent. */
  readonly value: JsonObject;
  readonly faults: readonly DecodingFault[];
}

/** Upstream reports at most this many unknown fields. */
const MAX_STRICT_FAULTS = 100;

/**
 * Decodes a document strictly into a Go struct: names are case-sensitive, a field that the struct lacks is a fault, and
 * a value of a wrong type has Go's message: `json: cannot unmarshal string into Go struct field
 * Plugin.profiles.plugins.score.enabled.weight of type int32`.
 *
 * Source: sigs.k8s.io/json, `UnmarshalStrict`.
 */
export function decodeGo(value: JsonValue, type: GoStruct): GoDecoded {
  const decoder = new GoDecoder();
  const root = { struct: undefined, fields: [], text: '', pointer: '' };
  const decoded = decoder.decode(value, type, root);
  return { value: isJsonObject(decoded) ? decoded : {}, faults: decoder.faults };
}

/** The position of the decoder: Go's error context, the path for strict errors, and a JSON pointer. */
interface Place {
  readonly struct: string | undefined;
  readonly fields: readonly string[];
  readonly text: string;
  readonly pointer: string;
}

class GoDecoder {
  readonly faults: DecodingFault[] = [];
  private readonly strict = new Set<string>();

  decode(value: JsonValue, type: GoType, place: Place): JsonValue | undefined {
    if (type.kind === 'raw') return value === null ? undefined : value;
    if (type.kind === 'duration') return this.duration(value, place);
    if (value === null) return undefined;
    switch (type.kind) {
      case 'struct':
        return isJsonObject(value) ? this.struct(value, type, place) : this.mismatch(value, type, place);
      case 'map':
        return isJsonObject(value) ? this.map(value, type.of, place) : this.mismatch(value, type, place);
      case 'list':
        return Array.isArray(value) ? this.list(value, type.of, place) : this.mismatch(value, type, place);
      case 'string':
      case 'bytes':
        return typeof value === 'string' ? value : this.mismatch(value, type, place);
      case 'bool':
        return typeof value === 'boolean' ? value : this.mismatch(value, type, place);
      case 'float32':
        return isNumber(value) ? value : this.mismatch(value, type, place);
      case 'int32':
      case 'int64':
        return isNumber(value) && fits(value, type.kind) ? value : this.mismatch(value, type, place);
    }
  }

  private struct(value: JsonObject, type: GoStruct, place: Place): JsonObject {
    const decoded = Object.create(null) as JsonObject;
    for (const [name, member] of Object.entries(value)) {
      const text = place.text === '' ? name : `${place.text}.${name}`;
      const pointer = `${place.pointer}/${escapePointer(name)}`;
      const field = type.fields.get(name);
      if (field === undefined) {
        this.unknown(text, pointer);
        continue;
      }
      if (member === null && field.pointer) continue;
      const below = { struct: type.label, fields: [...place.fields, name], text, pointer };
      const kept = this.decode(member, field.type, below);
      if (kept !== undefined) decoded[name] = kept;
    }
    return decoded;
  }

  private map(value: JsonObject, of: GoType, place: Place): JsonObject {
    const decoded = Object.create(null) as JsonObject;
    for (const [key, member] of Object.entries(value)) {
      const below = { ...place, text: `${place.text}.${key}`, pointer: `${place.pointer}/${escapePointer(key)}` };
      decoded[key] = this.decode(member, of, below) ?? zeroOf(of);
    }
    return decoded;
  }

  private list(value: readonly JsonValue[], of: GoType, place: Place): JsonValue[] {
    return value.map((member, index) => {
      const below = { ...place, text: `${place.text}[${index}]`, pointer: `${place.pointer}/${index}` };
      return this.decode(member, of, below) ?? zeroOf(of);
    });
  }

  private duration(value: JsonValue, place: Place): JsonValue | undefined {
    if (value !== null && typeof value !== 'string') {
      this.faults.push({ ...mismatchOf(value, STRING, place), kind: 'abort' });
      return undefined;
    }
    const parsed = parseGoDuration(value ?? '');
    if ('nanoseconds' in parsed) return parsed.nanoseconds;
    this.faults.push({ kind: 'abort', message: parsed.error, pointer: place.pointer });
    return undefined;
  }

  private unknown(text: string, pointer: string): void {
    if (this.strict.size >= MAX_STRICT_FAULTS || this.strict.has(text)) return;
    this.strict.add(text);
    this.faults.push({ kind: 'strict', message: `unknown field "${text}"`, pointer });
  }

  private mismatch(value: JsonValue, type: GoType, place: Place): JsonValue | undefined {
    this.faults.push(mismatchOf(value, type, place));
    return undefined;
  }
}

const STRING: GoType = { kind: 'string', name: 'string' };

function mismatchOf(value: JsonValue, type: GoType, { struct, fields, pointer }: Place): DecodingFault {
  const into = struct === undefined ? 'value' : `struct field ${struct}.${fields.join('.')}`;
  const ofIntegers = type.kind === 'int32' || type.kind === 'int64';
  const shown = isNumber(value) && ofIntegers ? `number ${value}` : goKind(value);
  return { kind: 'type', message: `json: cannot unmarshal ${shown} into Go ${into} of type ${type.name}`, pointer };
}

function goKind(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (isNumber(value)) return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function fits(value: number | bigint, kind: 'int32' | 'int64'): boolean {
  if (typeof value === 'number' && !Number.isInteger(value)) return false;
  const bits = kind === 'int32' ? 32 : 64;
  return BigInt.asIntN(bits, BigInt(value)) === BigInt(value);
}

/** The value of an element that is null. */
function zeroOf(type: GoType): JsonValue {
  switch (type.kind) {
    case 'struct':
    case 'map':
      return {};
    case 'string':
    case 'bytes':
      return '';
    case 'bool':
      return false;
    case 'list':
      return [];
    default:
      return 0;
  }
}

const isNumber = (value: JsonValue): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';
