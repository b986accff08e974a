import { escapePointer } from '../core/json/escape-pointer.js';
import type { JsonValue } from '../core/json/json-value.js';

export interface UnstorableText {
  readonly pointer: string;
  readonly field: string;
  readonly message: string;
}

/** JSON can bring in what cannot be kept only by an escape; YAML also by `\0`, `\x00` and as it is. */
const JSON_SUSPECT = /\\u(?:0000|[dD][89a-fA-F])/;
const YAML_SUSPECT = /[\\\0]/;
/** With the u flag whole pairs are one character, and no surrogate. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether a text may hold a string that cannot be kept; a quick look before the value is walked. */
export function maybeUnstorable(text: string, format: 'json' | 'yaml'): boolean {
  return (format === 'json' ? JSON_SUSPECT : YAML_SUSPECT).test(text);
}

/**
 * The strings and keys that Postgres' text cannot hold: U+0000, and surrogates without their other half, which no UTF-8
 * has. The API server cannot have written them.
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
