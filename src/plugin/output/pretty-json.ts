import type { JsonValue } from '../../core/json/json-value.js';
import { stringifyJson } from '../../core/json/lossless-json.js';

/** JSON with the indentation of kubectl. Integers of any size keep their digits. */
export function prettyJson(value: JsonValue, indent = ''): string {
  if (typeof value !== 'object' || value === null) return stringifyJson(value);
  const inner = `${indent}    `;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((item) => prettyJson(item, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${prettyJson(item, inner)}`);
  const [open, close] = isList ? '[]' : '{}';
  return parts.length === 0 ? `${open}${close}` : `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`;
}
