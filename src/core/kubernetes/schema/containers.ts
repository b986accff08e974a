import { isJsonObject } from '../../json/json-value.js';
import { isKnownIn, type RequiredField, type Schema, type SchemaField } from './schema.js';

/** A map with arbitrary keys. A null value becomes the zero value, as in Go. */
export function map<T>(values: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return {
    decode(value, decoding, keep) {
      if (!isJsonObject(value)) {
        decoding.wrongType(value, 'object');
        return undefined;
      }
      const out: Record<string, T> = {};
      const at = decoding.depth++;
      for (const key of Object.keys(value)) {
        const inner = value[key]!;
        decoding.place[at] = { key };
        const decoded = inner === null ? values.zero() : values.decode(inner, decoding, keep);
        if (keep && decoded !== undefined) setOwn(out, key, decoded);
      }
      decoding.depth = at;
      return keep ? out : undefined;
    },
    zero: () => ({}),
    shape: { type: 'map', values },
  };
}

/** A map of strings, the most frequent kind of map (labels, selectors), decoded without an allocation per key. */
export const stringMap: Schema<Readonly<Record<string, string>>> = {
  decode(value, decoding, keep) {
    if (!isJsonObject(value)) {
      decoding.wrongType(value, 'object');
      return undefined;
    }
    const out: Record<string, string> = {};
    for (const key in value) {
      const inner = value[key]!;
      if (typeof inner === 'string') {
        if (keep) setOwn(out, key, inner);
      } else if (inner === null) {
        if (keep) setOwn(out, key, '');
      } else {
        decoding.place[decoding.depth++] = { key };
        decoding.wrongType(inner, 'string');
        decoding.depth -= 1;
      }
    }
    return keep ? out : undefined;
  },
  zero: () => ({}),
  shape: { type: 'string-map' },
};

/** A list. A null element becomes the zero value, as in Go; an element that cannot be decoded is omitted. */
export function list<T>(items: Schema<T>): Schema<readonly T[]> {
  return {
    decode(value, decoding, keep) {
      if (!Array.isArray(value)) {
        decoding.wrongType(value, 'array');
        return undefined;
      }
      const out: T[] = [];
      const at = decoding.depth++;
      for (let index = 0; index < value.length; index += 1) {
        const inner = value[index]!;
        decoding.place[at] = index;
        const decoded = inner === null ? items.zero() : items.decode(inner, decoding, keep);
        if (keep && decoded !== undefined) out.push(decoded);
      }
      decoding.depth = at;
      return keep ? out : undefined;
    },
    zero: () => [],
    shape: { type: 'list', items },
  };
}

type OptionalKeys<T> = { [K in keyof T]-?: Partial<Pick<T, K>> extends Pick<T, K> ? K : never }[keyof T];

/** The schema of each field of `T`; fields that `T` always has are marked `required(...)`. */
export type KeptFields<T> = {
  readonly [K in keyof T]-?: K extends OptionalKeys<T> ? Schema<Exclude<T[K], undefined>> : RequiredField<T[K]>;
};

/**
 * The fields that Kubernetes knows besides the kept ones: their JSON types are checked, and their values are dropped.
 */
export type DroppedFields = Readonly<Record<string, Schema<unknown>>>;

/**
 * An object of the API. Every field that Kubernetes 1.31 to 1.36 knows is listed once, as kept or as dropped; those that not every one of
 * these versions has say so (`since`, `before`). Field names are case-sensitive, and null means absent.
 */
export function object<T>(kept: KeptFields<T>, dropped: DroppedFields = {}): Schema<T> {
  return objectOf(kept, dropped, false);
}

/** An object of which nothing is left if it has none of the kept fields: it is then absent. Only for optional fields. */
export function sparse<T>(kept: KeptFields<T>, dropped: DroppedFields = {}): Schema<T> {
  return objectOf(kept, dropped, true);
}

function objectOf<T>(kept: KeptFields<T>, dropped: DroppedFields, isSparse: boolean): Schema<T> {
  const fields = new Map<string, SchemaField>();
  const always: [name: string, schema: Schema<unknown>][] = [];
  for (const [name, entry] of Object.entries<Schema<unknown> | RequiredField<unknown>>(kept)) {
    const schema = 'required' in entry ? entry.required : entry;
    fields.set(name, { schema, keep: true });
    if ('required' in entry) always.push([name, schema]);
  }
  for (const [name, schema] of Object.entries(dropped)) fields.set(name, { schema, keep: false });

  const fillIn = (out: Record<string, unknown>): T => {
    for (const [name, schema] of always) out[name] ??= schema.zero();
    return out as T;
  };

  return {
    decode(value, decoding, keep) {
      if (!isJsonObject(value)) {
        decoding.wrongType(value, 'object');
        return undefined;
      }
      const out: Record<string, unknown> = {};
      const at = decoding.depth++;
      for (const name in value) {
        const field = fields.get(name);
        decoding.place[at] = name;
        if (field === undefined || !isKnownIn(decoding.minor, field.schema)) {
          decoding.unknownField(name, fields);
          continue;
        }
        const inner = value[name]!;
        if (inner === null) continue;
        const keepField = keep && (field.keep || decoding.whole);
        if (keep && !keepField) decoding.droppedFields += 1;
        const decoded = field.schema.decode(inner, decoding, keepField);
        if (keepField && decoded !== undefined) out[name] = decoded;
      }
      decoding.depth = at;
      if (!keep || (isSparse && !decoding.whole && isEmpty(out))) return undefined;
      return fillIn(out);
    },
    zero: () => fillIn({}),
    shape: { type: 'object', fields, always, sparse: isSparse },
  };
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

/** An object of which only its presence is kept. */
export function described(dropped: DroppedFields): Schema<Readonly<Record<string, never>>> {
  return object<Readonly<Record<string, never>>>({}, dropped);
}

/**
 * A schema that changes the decoded value if it is kept, unless the object is decoded whole. Only objects that have the
 * member `onlyWith` are changed.
 */
export function refined<T>(schema: Schema<T>, refine: (value: T) => T, onlyWith: keyof T & string): Schema<T> {
  return changed(schema, refine, onlyWith, false);
}

/** A schema that sets defaults as the API server does, also in objects that are decoded whole. Only objects that have the member `onlyWith` are changed. */
export function defaulted<T>(schema: Schema<T>, setDefaults: (value: T) => T, onlyWith: keyof T & string): Schema<T> {
  return changed(schema, setDefaults, onlyWith, true);
}

function changed<T>(
  schema: Schema<T>,
  refine: (value: T) => T,
  onlyWith: keyof T & string,
  alsoWhole: boolean,
): Schema<T> {
  return {
    decode(value, decoding, keep) {
      const decoded = schema.decode(value, decoding, keep);
      return decoded === undefined || !keep || (decoding.whole && !alsoWhole) ? decoded : refine(decoded);
    },
    zero: () => schema.zero(),
    shape: { type: 'refined', inner: schema, refine, onlyWith },
  };
}

/** A map of strings of which only some keys are kept. */
export function stringMapOf(kept: (key: string) => boolean): Schema<Readonly<Record<string, string>>> {
  return {
    decode(value, decoding, keep) {
      const decoded = stringMap.decode(value, decoding, keep);
      if (decoded === undefined || decoding.whole) return decoded;
      const out: Record<string, string> = {};
      let any = false;
      for (const key of Object.keys(decoded)) {
        if (kept(key)) {
          setOwn(out, key, decoded[key]!);
          any = true;
        } else {
          decoding.droppedFields += 1;
        }
      }
      return any ? out : undefined;
    },
    zero: () => ({}),
    shape: { type: 'string-map', keeps: kept },
  };
}

/** Sets a member with an arbitrary key; `__proto__` becomes an ordinary key. */
function setOwn<T>(into: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    into[key] = value;
  }
}
