import { InvalidRequestError } from '../../app/errors/invalid-request-error.js';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import { JsonSyntaxError } from '../../core/json/json-syntax-error.js';
import { parseJson } from '../../core/json/lossless-json.js';
import { propertiesByName, type PropertyInfo } from '../contract/field-decorators.js';
import { finish } from '../../core/collections/finish.js';
import { furtherErrors, renamedHint, stepReading, type EnvelopeReading } from './read-envelope.js';

/**
 * Reads query parameters into their class. Converts strings to integers and booleans where the class requires it. Lists
 * accept repeated parameters and commas; envelopes are JSON text. Reports every unknown, repeated or invalid parameter
 * together.
 *
 * @throws {InvalidRequestError} with JSON pointers only into parameters that contain JSON
 */
export async function readQuery<T extends object>(
  envelopeClass: (new () => T) | undefined,
  query: Readonly<Record<string, unknown>>,
): Promise<T> {
  const reading = queryReading(envelopeClass, query);
  const { envelope, errors } = reading;
  if (envelope !== undefined && errors.length === 0) return envelope;
  const further = envelopeClass === undefined ? [] : await furtherErrors(envelopeClass, reading, undefined);
  throw new InvalidRequestError([...errors, ...further]);
}

const NONE: ReadonlyMap<string, PropertyInfo> = new Map();

/** Like `readQuery`, but returns the errors, without those of `furtherErrors`. */
export function queryReading<T extends object>(
  envelopeClass: (new () => T) | undefined,
  query: Readonly<Record<string, unknown>>,
): EnvelopeReading<T> {
  const properties = envelopeClass === undefined ? NONE : propertiesByName(envelopeClass);
  const details: ErrorDetail[] = [];
  const isEmpty =
    Object.keys(query).length === 0 && [...properties.values()].every(({ optional }) => optional === true);
  if (isEmpty && envelopeClass !== undefined)
    return { envelope: new envelopeClass(), errors: [], warnings: [], unchecked: [] };
  const values: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(query)) {
    const property = properties.get(name);
    if (property === undefined) details.push(unknownParameter(name, [...properties.values()]));
    else if (Array.isArray(given) && property.list !== true) {
      details.push({ field: name, code: 'repeated-parameter', message: 'must be given only once' });
    } else if (typeof property.type === 'function') {
      const value = parsed(given, property, details);
      if (value !== undefined) values[name] = value;
    } else values[name] = property.list === true ? list(given, property) : converted(given, property);
  }
  if (envelopeClass === undefined) return { envelope: {} as T, errors: details, warnings: [], unchecked: [] };
  const { envelope, errors, warnings, unchecked } = finish(stepReading(envelopeClass, values));
  const containJson = new Set(
    [...properties.values()].filter(({ type }) => typeof type === 'function').map(({ name }) => name),
  );
  const reported = new Set(details.map(({ field }) => field));
  for (const { field, code, message, pointer = '' } of errors) {
    // Only parameters that contain JSON have JSON pointers.
    const isInside = containJson.has(pointer.split('/')[1] ?? '');
    // A parameter without a readable value is not missing.
    if (field === undefined || !reported.has(field)) {
      details.push({ ...(isInside && { pointer }), ...(field !== undefined && { field }), code, message });
    }
  }
  return { envelope, errors: details, warnings, unchecked };
}

/** Parses a parameter that contains JSON; reports invalid JSON and returns undefined. */
function parsed(given: unknown, { name, maximumLength = Infinity }: PropertyInfo, details: ErrorDetail[]): unknown {
  const text = typeof given === 'string' ? given : '';
  if (text.length > maximumLength) {
    details.push({ field: name, code: 'maxLength', message: `must be no longer than ${maximumLength} characters` });
    return undefined;
  }
  try {
    return parseJson(text, { duplicateKeys: 'reject' });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    details.push({ field: name, code: 'malformed-json', message: `must be JSON: ${error.message}` });
    return undefined;
  }
}

function list(given: unknown, property: PropertyInfo): unknown[] {
  return [given]
    .flat()
    .flatMap((text) => (typeof text === 'string' ? text.split(',') : [text]))
    .map((text) => converted(text, property));
}

/** As Go's `strconv.ParseBool` has them; Python's generated clients send `True`. */
const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/** A value that cannot be converted stays a string, which validation reports. */
function converted(given: unknown, { type }: PropertyInfo): unknown {
  if (typeof given !== 'string') return given;
  if (type === 'integer' || type === 'int64') {
    if (!/^-?\d{1,19}$/.test(given)) return given;
    const number = Number(given);
    return Number.isSafeInteger(number) ? number : BigInt(given);
  }
  if (type === 'boolean') return TRUE.has(given) ? true : FALSE.has(given) ? false : given;
  return given;
}

function unknownParameter(name: string, known: readonly PropertyInfo[]): ErrorDetail {
  const names = known.map((property) => property.name).sort();
  const hint =
    renamedHint(name, known) ??
    (names.length === 0 ? 'this operation takes no query parameters' : `known parameters are ${names.join(', ')}`);
  return {
    field: name.slice(0, 200),
    code: 'unknown-parameter',
    message: `unknown query parameter ${JSON.stringify(name.slice(0, 200))}; ${hint}`,
  };
}
