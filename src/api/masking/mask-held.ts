import type { ValuesByKey } from '../../app/withheld-values.js';
import { heldAt, type Held } from '../../contract/held-by.js';
import type { ObjectType } from '../../contract/schema.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.js';
import { isAboutTaints, isTaintPath, maskJson, maskQuotes, maskValue } from './mask-json.js';
import { maskText } from './mask-text.js';

/** An object of the contract without regard to its name. */
export type Shape = Pick<ObjectType, 'members'>;

/** Where a member is. */
export interface Place {
  /** Reads another member of the same object by its name in the contract; undefined if the response does not have it. */
  readonly beside: (name: string) => JsonValue | undefined;
  /** The forms of the object that holds the object of the member; none if it is not known. */
  readonly above: readonly Shape[];
  /** `columnOf` of the member. */
  readonly columnOf?: string | undefined;
}

/** Masks what a member holds, unless that is an object of the contract. */
export function maskHeld(held: Held, value: JsonValue, values: ValuesByKey, place: Place): JsonValue {
  switch (held) {
    case 'nothing':
      return value;
    case 'taintValue':
      return maskValue(value, values);
    case 'text':
      return maskTexts(value, values, place);
    case 'patch':
      return maskPatch(value, values, place);
    case 'column':
      return maskColumn(value, values, place);
    default:
      return maskJson(value, values);
  }
}

function maskTexts(value: JsonValue, values: ValuesByKey, place: Place): JsonValue {
  if (typeof value !== 'string') return maskJson(value, values);
  // The message about a field quotes its value.
  return maskText(isAboutTaints(place.beside('field')) ? maskQuotes(value) : value, values);
}

/** A patch may set a value alone. If the response does not say where, it may be any withheld value. */
function maskPatch(value: JsonValue, values: ValuesByKey, { beside }: Place): JsonValue {
  const path = beside('path') ?? beside('pointer');
  const isAlone = typeof path === 'string' ? isTaintPath(path) : typeof value === 'string' && isWithheld(value, values);
  return isAlone ? maskValue(value, values) : maskJson(value, values);
}

function isWithheld(value: string, values: ValuesByKey): boolean {
  for (const ofKey of values.values()) if (ofKey.has(value)) return true;
  return false;
}

/** What a column stands for is in the type of its group. */
function maskColumn(value: JsonValue, values: ValuesByKey, { beside, above, columnOf = '' }: Place): JsonValue {
  const at = (name: string, one: JsonValue): JsonValue =>
    maskHeld(heldAt(above, `${columnOf}.${name}`), one, values, { beside: () => undefined, above: [] });
  const name = beside('name');
  if (typeof name === 'string' && Array.isArray(value))
    return value.map((one) => masked(one, (text) => at(name, text)));
  if (!isJsonObject(value)) return maskJson(value, values);
  const byPath = Object.create(null) as JsonObject;
  for (const [path, one] of Object.entries(value)) byPath[path] = masked(one, (text) => at(path, text));
  return byPath;
}

/** A column of lists has a list in each place. */
function masked(value: JsonValue, mask: (one: JsonValue) => JsonValue): JsonValue {
  return Array.isArray(value) ? value.map(mask) : mask(value);
}
