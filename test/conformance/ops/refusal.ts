import type { JsonValue } from '../../../src/core/json/json-value.js';
import { sameJson } from '../same-json.js';

/** Compares results of ops whose errors count, but not their messages; everything else is compared. */
export function bothRefuse(want: JsonValue, got: unknown): boolean {
  return sameJson(withoutWords(want), withoutWords(got));
}

const withoutWords = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'error') ? { ...value, error: '' } : value;
