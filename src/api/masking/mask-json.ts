import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { MASK, type ValuesByKey } from '../../app/withheld-values.js';
import { maskText } from './mask-text.js';

/**
 * Masks the values of taints and tolerations in JSON of any form, such as a manifest, by the keys beside them; keys and everything else
 * stay.
 */
export function maskJson(value: JsonValue, values: ValuesByKey): JsonValue {
  if (typeof value === 'string') return maskText(value, values);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((member) => maskJson(member, values));
  const masked = Object.create(null) as JsonObject;
  for (const [name, member] of Object.entries(value)) {
    masked[name] = isValue(value, name) ? maskValue(member, values) : maskMember(value, name, member, values);
  }
  return masked;
}

/** An empty string is not a value. */
export function maskValue(value: JsonValue, values: ValuesByKey): JsonValue {
  if (typeof value === 'string') return value === '' ? '' : MASK;
  if (Array.isArray(value)) return value.map((member) => maskValue(member, values));
  return maskJson(value, values);
}

/** Taints and tolerations have a `value` beside their `key`; a key that represents several taints has `values`. */
function isValue(object: JsonObject, name: string): boolean {
  if (name === 'value') return Object.hasOwn(object, 'key') || isTaintPath(object['path']);
  return name === 'values' && Object.hasOwn(object, 'key') && !Object.hasOwn(object, 'operator');
}

/** Whether a JSON pointer leads to the value of a taint or toleration. */
export function isTaintPath(path: JsonValue | undefined): boolean {
  return typeof path === 'string' && /\/(taints|tolerations)\/\d+\/value$/.test(path);
}

/** Masks the value that an error message about a value field quotes. */
function maskMember(object: JsonObject, name: string, member: JsonValue, values: ValuesByKey): JsonValue {
  const quotes = name === 'message' && typeof member === 'string' && isAboutTaints(object['field']);
  return quotes ? maskText(maskQuotes(member), values) : maskJson(member, values);
}

/** Whether a field path leads to taints or tolerations. */
export function isAboutTaints(field: JsonValue | undefined): boolean {
  return typeof field === 'string' && /\b(taints|tolerations)\b/.test(field);
}

/** Masks everything in quotes. */
export function maskQuotes(message: string): string {
  return message.replace(/"(?:[^"\\]|\\.)*"/g, `"${MASK}"`);
}
