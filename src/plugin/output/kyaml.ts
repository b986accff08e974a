import type { JsonValue } from '../../core/json/json-value.js';
import { stringifyJson } from '../../core/json/lossless-json.js';

/** KYAML, a form of YAML without its traps. Source: sigs.k8s.io/yaml v1.6.0, kyaml. */
export const kyamlText = (value: JsonValue): string => `---\n${written(value, '')}\n`;

function written(value: JsonValue, indent: string): string {
  if (typeof value !== 'object' || value === null) return stringifyJson(value);
  const inner = `${indent}  `;
  if (!Array.isArray(value)) {
    const members = Object.entries(value).map(([key, item]) => `${inner}${keyText(key)}: ${written(item, inner)},\n`);
    return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`;
  }
  if (value.length === 0) return '[]';
  // Brackets of nested lists and objects share a line.
  if (value.every((item) => typeof item === 'object' && item !== null && Object.keys(item).length > 0)) {
    return `[${value.map((item) => written(item, indent)).join(', ')}]`;
  }
  return `[\n${value.map((item) => `${inner}${written(item, inner)},\n`).join('')}${indent}]`;
}

/** Words that some YAML parser takes for something else. */
const AMBIGUOUS = /^(true|false|null|yes|no|on|off|y|n|~)$/i;

const keyText = (key: string): string =>
  /^[A-Za-z_][\w./-]*$/.test(key) && !AMBIGUOUS.test(key) ? key : JSON.stringify(key);
