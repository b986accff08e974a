import type { JsonObject, JsonValue } from '../json/json-value.js';

export const isAbsent = (value: JsonValue | undefined): value is null | undefined =>
  value === undefined || value === null;

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
