import { stringify } from 'yaml';
import type { JsonValue } from '../../core/json/json-value.js';

/** YAML that kubectl reads. */
export const yamlText = (value: JsonValue): string =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, version: '1.1' });
