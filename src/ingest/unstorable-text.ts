import { escapePointer } from '../core/json/escape-pointer.js';
import type { JsonValue } from '../core/json/json-value.js';

export interface UnstorableText {
  readonly pointer: string;
  readonly field: string;
  readonly message: string;
}

/** In JSON, text that cannot be stored occurs only as an escape; in YAML also as `\0`, `\x00` or the raw character. */
const JSON_SUSPECT = /\\u(?:0000|[dD][89a-fA-F])/;
const YAML_SUSPECT = /[\\\0]/;
/** With the u flag, a complete pair is one character and not a surrogate. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether a text may contain a string that cannot be stored: a quick check before the value is walked. */
export function maybeUnstorable(text: string, format: 'json' | 'yaml'): boolean {
  return (format === 'json' ? JSON_SUSPECT : YAML_SUSPECT).test(text);
}

/**
 * The strings and keys that Postgres' text type cannot store: U+0000, and lone surrogates, which UTF-8 cannot encode.
 * The API server cannot have written them.
 */
export function findUnstorableText(value: JsonValue): readonly UnstorableText[] {
  const found: UnstorableText[] = [];
  walk(value, '', '', found);
  return found;
}

function walk(value: JsonValue, pointer: string, field: string, found: UnstorableText[]): void {
  if (typeof value === 'string') {
    const trouble = troubleOf(value);
    if (trouble !== undefined)
      found.push({ pointer, field, message: `the text contains ${trouble}, which cannot be stored` });
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => walk(item, `${pointer}/${index}`, `${field}[${index}]`, found));
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      const trouble = troubleOf(key);
      if (trouble !== undefined) {
        found.push({ pointer, field, message: `a key of this object contains ${trouble}, which cannot be stored` });
        continue;
      }
      walk(member, `${pointer}/${escapePointer(key)}`, field === '' ? key : `${field}.${key}`, found);
    }
  }
}

function troubleOf(text: string): string | undefined {
  if (text.includes('\0')) return 'a NUL character (U+0000)';
  return LONE_SURROGATE.test(text) ? 'a lone surrogate (half of a UTF-16 pair)' : undefined;
}
