import { escapePointer } from './escape-pointer.js';
import { isJsonObject, type JsonObject, type JsonValue } from './json-value.js';
import { sameValue } from './same-value.js';

/** Something in a file that is wrong. */
export interface FileFault {
  /** JSON pointer into the file. */
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/**
 * Every fault of a value by a JSON Schema of the keywords that are used here: `$ref` to `$defs`, `type`, `enum`, `properties`,
 * `required`, `additionalProperties`, `items`, limits of length, number and size, `allOf`, and `oneOf` and `anyOf` of
 * `required`.
 */
export function checkSchema(root: JsonObject, value: JsonValue): readonly FileFault[] {
  const faults: FileFault[] = [];
  const fault = (pointer: string, code: string, message: string): void => void faults.push({ pointer, code, message });

  const check = (schema: JsonObject, given: JsonValue, pointer: string): void => {
    const reference = schema['$ref'];
    if (typeof reference === 'string') {
      const definitions = root['$defs'] as Record<string, JsonObject>;
      check(definitions[reference.replace('#/$defs/', '')]!, given, pointer);
      return;
    }
    const type = schema['type'] as string | undefined;
    if (type !== undefined && !hasType(given, type)) {
      fault(pointer, 'wrong-type', `must be ${ARTICLES[type] ?? type}, not ${shown(given)}`);
      return;
    }
    const allowed = schema['enum'] as JsonValue[] | undefined;
    if (allowed !== undefined && !allowed.some((one) => sameValue(one, given))) {
      fault(
        pointer,
        'not-supported',
        `must be ${allowed.map((one) => JSON.stringify(one)).join(' or ')}, not ${shown(given)}`,
      );
      return;
    }
    if (typeof given === 'string') checkText(schema, given, pointer);
    else if (typeof given === 'number' || typeof given === 'bigint') checkNumber(schema, given, pointer);
    else if (Array.isArray(given)) checkList(schema, given, pointer);
    else if (typeof given === 'object' && given !== null) checkObject(schema, given, pointer);
  };

  const checkText = (schema: JsonObject, given: string, pointer: string): void => {
    const [least, most] = [schema['minLength'] ?? 0, schema['maxLength'] ?? Infinity] as number[];
    const { length } = given;
    if (length < least!) fault(pointer, 'required', 'must not be empty');
    if (length > most!) fault(pointer, 'too-long', `must have at most ${most} characters, and has ${length}`);
  };

  const checkNumber = (schema: JsonObject, given: number | bigint, pointer: string): void => {
    const [least, most] = [schema['minimum'] ?? -Infinity, schema['maximum'] ?? Infinity] as number[];
    if (given < least! || given > most!) {
      fault(pointer, 'out-of-range', `must be between ${least} and ${most}, and is ${given}`);
    }
  };

  const checkList = (schema: JsonObject, given: readonly JsonValue[], pointer: string): void => {
    const [least, most] = [schema['minItems'] ?? 0, schema['maxItems'] ?? Infinity] as number[];
    if (given.length < least!) fault(pointer, 'required', 'must not be empty');
    if (given.length > most!) {
      fault(pointer, 'too-many', `must have at most ${most} items, and has ${given.length}`);
      return;
    }
    const items = schema['items'] as JsonObject | undefined;
    if (items === undefined) return;
    for (const [index, item] of given.entries()) check(items, item, `${pointer}/${index}`);
  };

  const checkObject = (schema: JsonObject, given: JsonObject, pointer: string): void => {
    const properties = (schema['properties'] ?? {}) as Record<string, JsonObject>;
    for (const [name, item] of Object.entries(given)) {
      const at = `${pointer}/${escapePointer(name)}`;
      const others = schema['additionalProperties'];
      if (Object.hasOwn(properties, name)) check(properties[name]!, item, at);
      else if (typeof others === 'object') check(others as JsonObject, item, at);
      else if (others === false) {
        fault(at, 'unknown-field', `unknown key; known are ${Object.keys(properties).join(', ')}`);
      }
    }
    const most = (schema['maxProperties'] ?? Infinity) as number;
    const count = Object.keys(given).length;
    if (count > most) fault(pointer, 'too-many', `must have at most ${most} entries, and has ${count}`);
    for (const name of (schema['required'] ?? []) as string[]) {
      if (!Object.hasOwn(given, name)) fault(pointer, 'required', `${name} is required`);
    }
    for (const part of [schema, ...((schema['allOf'] ?? []) as JsonObject[])]) checkChoices(part, given, pointer);
  };

  const checkChoices = (schema: JsonObject, given: JsonObject, pointer: string): void => {
    for (const [keyword, wanted] of [
      ['oneOf', 'exactly one'],
      ['anyOf', 'at least one'],
    ] as const) {
      const choices = schema[keyword] as { required: string[] }[] | undefined;
      if (choices === undefined) continue;
      const names = choices.flatMap(({ required }) => required);
      const found = names.filter((name) => Object.hasOwn(given, name));
      if (found.length === 1 || (keyword === 'anyOf' && found.length > 1)) continue;
      const which = found.length === 0 ? '' : `, not ${found.join(' and ')}`;
      fault(pointer, 'one-of', `give ${wanted} of ${names.join(', ')}${which}`);
    }
  };

  check(root, value, '');
  return faults;
}

const ARTICLES: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'text (quote it)',
  integer: 'a whole number',
  boolean: 'true or false',
};

function hasType(value: JsonValue, type: string): boolean {
  switch (type) {
    case 'object':
      return isJsonObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
    default:
      return typeof value === type;
  }
}

function shown(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : String(value);
}
