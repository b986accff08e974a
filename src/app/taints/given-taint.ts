import { isJsonObject, type JsonValue } from '../../core/json/json-value.js';
import { FieldPath } from '../../core/kubernetes/field-path.js';
import { microsecondsOf } from '../../core/kubernetes/moment.js';
import type { Taint } from '../../core/kubernetes/objects/taints.js';
import { parseTaint, TaintSyntaxError } from '../../core/kubernetes/taint-text.js';
import { validateTaints } from '../../core/kubernetes/validation/taints.js';
import { faultAt } from '../errors/fault-at.js';
import { InvalidObjectError } from '../errors/invalid-object-error.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';

/** A taint in kubectl's notation, `key=value:Effect`, or an object with `key`, `value` and `effect`. */
export type GivenTaint = JsonValue;

const TAINTS = FieldPath.of('taints');
const FIELDS: readonly string[] = ['key', 'value', 'effect', 'timeAdded'];

/**
 * Parses taints, each in either form.
 *
 * @throws {InvalidRequestError} for a text that is not a taint, with kubectl's message, or an object with other fields
 *   or types
 * @throws {InvalidObjectError} the API server would reject a node with them, with its message
 */
export function readTaints(given: readonly GivenTaint[]): readonly Taint[] {
  const { taints, details } = taintsIn(given, TAINTS);
  if (details.length > 0) throw new InvalidRequestError(details);
  const errors = validateTaints(taints, TAINTS);
  if (errors.length > 0) throw new InvalidObjectError('The list of taints', errors);
  return taints;
}

/** Like `readTaints` for a list at a place in a request, but returns the errors. */
export function readTaintsAt(
  given: readonly GivenTaint[],
  at: FieldPath,
): { readonly taints: readonly Taint[]; readonly details: readonly ErrorDetail[] } {
  const { taints, details } = taintsIn(given, at);
  if (details.length > 0) return { taints, details };
  const errors = validateTaints(taints, at);
  return { taints, details: errors.map(({ type, ...error }) => ({ ...error, code: type })) };
}

function taintsIn(given: readonly GivenTaint[], at: FieldPath): { taints: Taint[]; details: ErrorDetail[] } {
  const details: ErrorDetail[] = [];
  const taints = given.map((one, index) => readTaint(one, at.index(index), details));
  return { taints, details };
}

function readTaint(given: GivenTaint, at: FieldPath, details: ErrorDetail[]): Taint {
  const complain = (path: FieldPath, code: string, message: string): void => {
    details.push(faultAt(path, code, message));
  };
  const none = { key: '', effect: '' };
  if (typeof given === 'string') {
    try {
      return parseTaint(given);
    } catch (error) {
      if (!(error instanceof TaintSyntaxError)) throw error;
      complain(at, 'invalid-taint', error.message);
      return none;
    }
  }
  if (!isJsonObject(given)) {
    complain(at, 'invalid-taint', 'must be a string such as key=value:NoSchedule, or an object');
    return none;
  }
  const fields = new Map(Object.entries(given).filter(([, value]) => value !== null));
  for (const [name, value] of fields) {
    if (!FIELDS.includes(name)) complain(at.child(name), 'unknown-field', `unknown field ${JSON.stringify(name)}`);
    else if (typeof value !== 'string') complain(at.child(name), 'isString', 'must be a string');
    else if (name === 'timeAdded' && microsecondsOf(value) === undefined) {
      complain(at.child(name), 'invalid-time', 'must be an RFC 3339 time, such as 2026-05-04T03:02:01Z');
    }
  }
  const text = (name: string): string => {
    const value = fields.get(name);
    return typeof value === 'string' ? value : '';
  };
  const value = text('value');
  return { key: text('key'), ...(value === '' ? {} : { value }), effect: text('effect') };
}
