import type { JsonValue } from '../json/json-value.js';

export const isAbsent = (value: JsonValue | undefined): value is null | undefined =>
  value === undefined || value === null;
