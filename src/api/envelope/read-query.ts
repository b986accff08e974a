import { InvalidRequestError } from '../../app/errors/invalid-request-error.js';
import { ServiceError, type ErrorDetail } from '../../app/errors/service-error.js';
import { propertiesOf, type PropertyInfo } from '../shapes/property.js';
import { readEnvelope } from './read-envelope.js';

/**
 * Reads query parameters into their shape: texts become integers and booleans where the shape says so; a list takes the
 * parameter several times, and commas. Unknown ones, repeated ones and wrong values are all named at once.
 *
 * @throws {InvalidRequestError} without JSON pointers: a parameter is not in the body
 */
export function readQuery<T extends object>(
  shape: (new () => T) | undefined,
  query: Readonly<Record<string, unknown>>,
): T {
  const properties = new Map((shape === undefined ? [] : propertiesOf(shape)).map((info) => [info.name, info]));
  const details: ErrorDetail[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(query)) {
    const property = properties.get(name);
    if (property === undefined) details.push(unknownParameter(name, [...properties.keys()]));
    else if (Array.isArray(given) && property.list !== true) {
      details.push({ field: name, code: 'repeated-parameter', message: 'is given more than once' });
    } else values[name] = property.list === true ? list(given, property) : converted(given, property);
  }
  const envelope = shape === undefined ? ({} as T) : check(shape, values, details);
  if (details.length > 0) throw new InvalidRequestError(details);
  return envelope!;
}

function check<T extends object>(shape: new () => T, values: object, details: ErrorDetail[]): T | undefined {
  try {
    return readEnvelope(shape, values);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    details.push(...error.details.map(({ field, code, message }) => ({ field: field ?? '', code, message })));
    return undefined;
  }
}

function list(given: unknown, property: PropertyInfo): unknown[] {
  return [given]
    .flat()
    .flatMap((text) => (typeof text === 'string' ? text.split(',') : [text]))
    .map((text) => converted(text, property));
}

/** What does not convert stays a text, for the check to complain about. */
function converted(given: unknown, { type }: PropertyInfo): unknown {
  if (typeof given !== 'string') return given;
  if (type === 'integer' || type === 'int64') {
    if (!/^-?\d{1,19}$/.test(given)) return given;
    const number = Number(given);
    return Number.isSafeInteger(number) ? number : BigInt(given);
  }
  if (type === 'boolean') return given === 'true' ? true : given === 'false' ? false : given;
  return given;
}

function unknownParameter(name: string, known: readonly string[]): ErrorDetail {
  const hint = known.length === 0 ? 'this operation takes none' : `known are ${[...known].sort().join(', ')}`;
  return {
    field: name.slice(0, 200),
    code: 'unknown-parameter',
    message: `unknown query parameter ${JSON.stringify(name.slice(0, 200))}; ${hint}`,
  };
}
