import type { JsonValue } from '../../json/json-value.js';
import { quoteGo, type FieldError } from '../field-error.js';
import { FieldPath } from '../field-path.js';
import { isKnownIn, type SchemaField } from './schema.js';

/** More faults than anybody reads; the rest are counted, but not listed. */
const LISTED = 1000;
const LISTED_UNKNOWN = 50;
const SHOWN_CHARACTERS = 100;

/** The key of a map, which a path has in brackets, unlike a field name. */
interface MapKey {
  readonly key: string;
}

/** A field that Kubernetes does not know. */
export interface UnknownField {
  /** In Kubernetes' notation, `spec.toleration`. */
  readonly field: string;
  readonly pointer: string;
  /** Its name alone. */
  readonly name: string;
  /** The fields that Kubernetes knows in its place. */
  readonly known: ReadonlySet<string>;
  /** The first minor version that has the field, if it is later than that of the API server. */
  readonly since?: number;
}

/**
 * The state of decoding one object: the position of the decoder, and its findings.
 *
 * The position is a stack that container schemas maintain, so that a path is built only for an error.
 */
export class Decoding {
  /** Field names, list indexes and map keys from the root to the current position. */
  readonly place: (string | number | MapKey)[] = [];
  depth = 0;
  droppedFields = 0;
  unknownFieldCount = 0;
  readonly unknown: UnknownField[] = [];
  readonly errors: FieldError[] = [];

  constructor(
    readonly strict: boolean,
    /** Whether to keep fields, too, that are only described, for validation of a complete manifest. */
    readonly whole: boolean,
    /** The minor version of Kubernetes whose fields are known; undefined for those of all versions. */
    readonly minor?: number,
  ) {}

  /**
   * Reports that the value at the current position has the wrong JSON type. The error does not contain the value, which
   * may be a secret.
   */
  wrongType(value: JsonValue, expected: string): void {
    const found = jsonType(value);
    this.fail(`Invalid value: "${found}": must be of type ${expected}: "${found}"`);
  }

  /** Reports that the value at the current position has the right JSON type, but is not valid for the field. */
  unreadable(value: string, detail: string): void {
    const shown = value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}...` : value;
    this.fail(`Invalid value: ${quoteGo(shown)}: ${detail}`);
  }

  /** The field here, by its name, is not one of those that Kubernetes knows. */
  unknownField(name: string, fields: ReadonlyMap<string, SchemaField>): void {
    this.unknownFieldCount += 1;
    if (this.strict) {
      this.fail(`strict decoding error: unknown field "${this.path().toString()}"`);
    } else if (this.unknown.length < LISTED_UNKNOWN) {
      const path = this.path();
      const known = new Set<string>();
      for (const [one, { schema }] of fields) if (isKnownIn(this.minor, schema)) known.add(one);
      const since = fields.get(name)?.schema.since;
      const isLater = since !== undefined && this.minor !== undefined && since > this.minor;
      this.unknown.push({
        ...{ field: path.toString(), pointer: path.toPointer(), name, known },
        ...(isLater && { since }),
      });
    }
  }

  private fail(message: string): void {
    if (this.errors.length >= LISTED) return;
    const path = this.path();
    this.errors.push({ type: 'FieldValueTypeInvalid', field: path.toString(), pointer: path.toPointer(), message });
  }

  private path(): FieldPath {
    const [first, ...rest] = this.place.slice(0, this.depth);
    let path = FieldPath.of(typeof first === 'string' ? first : '');
    for (const step of rest) {
      if (typeof step === 'string') path = path.child(step);
      else path = typeof step === 'number' ? path.index(step) : path.key(step.key);
    }
    return path;
  }
}

/** The JSON type of a value, as OpenAPI names it. */
export function jsonType(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
