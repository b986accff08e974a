import type { JsonValue } from '../../json/json-value.js';
import { quoteGo, type FieldError } from '../field-error.js';
import { FieldPath } from '../field-path.js';

/** More than anybody reads; what is beyond is counted, not listed. */
const LISTED = 1000;
const LISTED_UNKNOWN = 50;
const SHOWN_CHARACTERS = 100;

/** The key of a map, which a path writes in brackets, unlike the name of a field. */
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
  readonly known: ReadonlyMap<string, unknown>;
}

/**
 * The state of decoding one object: where the decoder stands, and what it found.
 *
 * The place is a stack that containers write into, so that a path is only built for an error.
 */
export class Decoding {
  /** Names of fields, indices of lists, keys of maps, from the root to where the decoder stands. */
  readonly place: (string | number | MapKey)[] = [];
  depth = 0;
  droppedFields = 0;
  unknownFieldCount = 0;
  readonly unknown: UnknownField[] = [];
  readonly errors: FieldError[] = [];

  constructor(
    readonly strict: boolean,
    /** Fields that are described only to be dropped are kept, for validation of a manifest as a whole. */
    readonly whole: boolean,
  ) {}

  /** The value here has the wrong JSON type. The value itself is not repeated: it may be a secret. */
  wrongType(value: JsonValue, expected: string): void {
    const found = jsonType(value);
    this.fail(`Invalid value: "${found}": must be of type ${expected}: "${found}"`);
  }

  /** The value here is of the right JSON type, but not readable as what the field holds. */
  unreadable(value: string, detail: string): void {
    const shown = value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}...` : value;
    this.fail(`Invalid value: ${quoteGo(shown)}: ${detail}`);
  }

  /** The field here, by its name, is not one of those that Kubernetes knows. */
  unknownField(name: string, known: ReadonlyMap<string, unknown>): void {
    this.unknownFieldCount += 1;
    if (this.strict) {
      this.fail(`strict decoding error: unknown field "${this.path().toString()}"`);
    } else if (this.unknown.length < LISTED_UNKNOWN) {
      const path = this.path();
      this.unknown.push({ field: path.toString(), pointer: path.toPointer(), name, known });
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

/** The JSON type of a value, in the words of OpenAPI. */
export function jsonType(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
