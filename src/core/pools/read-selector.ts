import { defined } from '../collections/defined.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { typeInvalid, type FieldError } from '../kubernetes/field-error.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { LabelSelector, LabelSelectorRequirement } from '../kubernetes/objects/selectors.js';
import { isAbsent } from './given-value.js';

/** The structure of a LabelSelector; its keys and values are not validated. */
export function readSelector(
  given: JsonValue,
  at: FieldPath,
): { readonly selector: LabelSelector; readonly errors: FieldError[] } {
  const errors: FieldError[] = [];
  const complain = (place: FieldPath, value: JsonValue | undefined, detail: string): void => {
    errors.push(typeInvalid(place, { text: kindOf(value) }, detail));
  };
  if (!isJsonObject(given)) {
    complain(at, given, 'must be a label selector: an object with matchLabels, matchExpressions or both');
    return { selector: {}, errors };
  }
  const fields = fieldsOf(given, ['matchLabels', 'matchExpressions'], at, complain);
  const matchLabels = labelsIn(fields.get('matchLabels'), at.child('matchLabels'), complain);
  const matchExpressions = expressionsIn(fields.get('matchExpressions'), at.child('matchExpressions'), complain);
  return { selector: { ...(matchLabels && { matchLabels }), ...(matchExpressions && { matchExpressions }) }, errors };
}

type Complain = (place: FieldPath, value: JsonValue | undefined, detail: string) => void;

function fieldsOf(
  given: JsonObject,
  known: readonly string[],
  at: FieldPath,
  complain: Complain,
): Map<string, JsonValue> {
  for (const [name, value] of Object.entries(given)) {
    if (!known.includes(name)) complain(at.child(name), value, `unknown field; known fields: ${known.join(', ')}`);
  }
  return new Map(Object.entries(given).filter(([, value]) => value !== null));
}

function labelsIn(given: JsonValue | undefined, at: FieldPath, complain: Complain): Labels | undefined {
  if (isAbsent(given)) return undefined;
  if (!isJsonObject(given)) {
    complain(at, given, 'must be a map of keys to values');
    return undefined;
  }
  return Object.fromEntries(
    Object.entries(given).flatMap(([key, value]): [string, string][] => {
      if (typeof value === 'string') return [[key, value]];
      complain(at.key(key), value, 'must be a string');
      return [];
    }),
  );
}

function expressionsIn(
  given: JsonValue | undefined,
  at: FieldPath,
  complain: Complain,
): LabelSelectorRequirement[] | undefined {
  if (isAbsent(given)) return undefined;
  if (!Array.isArray(given)) {
    complain(at, given, 'must be a list');
    return undefined;
  }
  return given.flatMap((one, index) => requirementIn(one, at.index(index), complain));
}

function requirementIn(given: JsonValue, at: FieldPath, complain: Complain): LabelSelectorRequirement[] {
  if (!isJsonObject(given)) {
    complain(at, given, 'must be an object with key, operator and values');
    return [];
  }
  const fields = fieldsOf(given, ['key', 'operator', 'values'], at, complain);
  const [key, operator] = ['key', 'operator'].map((name) => {
    const value = fields.get(name) ?? '';
    if (typeof value === 'string') return value;
    complain(at.child(name), value, 'must be a string');
    return undefined;
  });
  const values = fields.get('values');
  const areTexts =
    values === undefined || (Array.isArray(values) && values.every((value) => typeof value === 'string'));
  if (!areTexts) complain(at.child('values'), values, 'must be a list of strings');
  if (key === undefined || operator === undefined || !areTexts) return [];
  return [{ key, operator, ...defined({ values: values }) }];
}

const kindOf = (value: JsonValue | undefined): string =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
