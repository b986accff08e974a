import { defined } from '../collections/defined.js';
import { isJsonObject, type JsonValue } from '../json/json-value.js';
import { FieldPath } from '../kubernetes/field-path.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { checkTaintEdit, type EditError } from './check-taint-edit.js';
import { KubectlError } from './kubectl-error.js';
import { parseLabelArguments } from './parse-label-arguments.js';
import { readTaintArguments } from './parse-taint-arguments.js';
import type { TaintEdit, TaintRemoval } from './taint-edit.js';

/** An edit of nodes as received. */
export interface GivenTaintEdit {
  /**
   * Arguments of `kubectl taint` (`key=value:Effect`, `key:Effect-`, `key-`), or objects: `{key, value?, effect}` adds a
   * taint; with `remove: true` it removes one, or all effects of the key if `effect` is absent.
   */
  readonly taints?: readonly JsonValue[];
  /** Arguments of `kubectl label` (`key=value`, `key-`), or a map from keys to values, with null to remove a label. */
  readonly labels?: JsonValue;
  readonly unschedulable?: boolean;
  readonly overwrite?: boolean;
}

/** The maximum number of taints in one edit, and of labels. */
export const MAX_EDITS = 100;

/** The edit, and all its faults with positions in the input. */
export interface ReadTaintEdit {
  readonly edit: TaintEdit;
  readonly errors: readonly EditError[];
}

/**
 * Reads an edit of nodes as kubectl arguments or objects, and checks it like `checkTaintEdit`.
 *
 * @param at the position of the edit; positions of errors extend it by `taints[2].key` or `labels[0]`
 */
export function readTaintEdit(given: GivenTaintEdit, at: FieldPath): ReadTaintEdit {
  const tooMany = [...tooManyEdits(given.taints, 'taints', at), ...tooManyEdits(given.labels, 'labels', at)];
  if (tooMany.length > 0) return { edit: NO_EDIT, errors: tooMany };
  const errors: EditError[] = [];
  const taints = readTaints(given.taints ?? [], at.child('taints'), errors);
  const labels = readLabels(given.labels, at.child('labels'), errors);
  const edit: TaintEdit = {
    add: taints.add.map(({ item }) => item),
    remove: taints.remove.map(({ item }) => item),
    overwrite: given.overwrite ?? false,
    ...(labels === undefined ? {} : { labels: { set: labels.set, remove: labels.remove.map(({ item }) => item) } }),
    ...defined({ unschedulable: given.unschedulable }),
  };
  const isPartial = errors.length > 0;
  for (const error of checkTaintEdit(edit)) {
    // The faulty items are missing from the edit, which is not a second fault.
    if (error.code === 'no-change-requested' && isPartial) continue;
    errors.push(replaced(error, at, taints, labels));
  }
  return { edit, errors };
}

const NO_EDIT: TaintEdit = { add: [], remove: [], overwrite: false };

/** Every edit applies to every node, so larger edits than anybody writes by hand are refused before they are read. */
function tooManyEdits(given: JsonValue | readonly JsonValue[] | undefined, name: string, at: FieldPath): EditError[] {
  const count = typeof given === 'object' && given !== null ? Object.keys(given).length : 0;
  if (count <= MAX_EDITS) return [];
  const message = `has ${count} items; an edit can have at most ${MAX_EDITS} ${name}`;
  return [{ code: 'too-many-edits', message, ...placeOf(at.child(name)) }];
}

interface Placed<Item> {
  readonly item: Item;
  readonly at: FieldPath;
  /** Whether the item is a kubectl argument, which has no fields. */
  readonly isWord: boolean;
}

interface PlacedTaints {
  readonly add: readonly Placed<Taint>[];
  readonly remove: readonly Placed<TaintRemoval>[];
}

function readTaints(given: readonly JsonValue[], at: FieldPath, errors: EditError[]): PlacedTaints {
  const add: Placed<Taint>[] = [];
  const remove: Placed<TaintRemoval>[] = [];
  const words = given.flatMap((one, index) => (typeof one === 'string' ? [{ word: one, index }] : []));
  const refused = new Set<number>();
  for (const { index, code, message } of readTaintArguments(words.map(({ word }) => word)).errors) {
    const place = at.index(words[index]!.index);
    refused.add(words[index]!.index);
    errors.push({ code, message, ...placeOf(place) });
  }
  for (const [index, one] of given.entries()) {
    const place = at.index(index);
    if (refused.has(index)) continue;
    if (typeof one === 'string') {
      const read = readTaintArguments([one]);
      for (const item of read.add) add.push({ item, at: place, isWord: true });
      for (const item of read.remove) remove.push({ item, at: place, isWord: true });
      continue;
    }
    const read = readObject(one, place, errors);
    if (read === undefined) continue;
    if (read.remove) remove.push({ item: read.taint, at: place, isWord: false });
    else add.push({ item: read.taint, at: place, isWord: false });
  }
  return { add, remove };
}

const FIELDS: readonly string[] = ['key', 'value', 'effect', 'timeAdded', 'remove'];

function readObject(
  given: JsonValue,
  at: FieldPath,
  errors: EditError[],
): { readonly taint: Taint; readonly remove: boolean } | undefined {
  const complain = (place: FieldPath, message: string): void => {
    errors.push({ code: 'invalid-taint', message, ...placeOf(place) });
  };
  if (!isJsonObject(given)) {
    complain(at, 'must be a string such as key=value:NoSchedule or key:NoSchedule-, or an object');
    return undefined;
  }
  const before = errors.length;
  const fields = new Map(Object.entries(given).filter(([, value]) => value !== null));
  for (const [name, value] of fields) {
    const type = name === 'remove' ? 'boolean' : 'string';
    if (!FIELDS.includes(name)) {
      complain(
        at.child(name),
        `unknown field ${JSON.stringify(name.slice(0, 200))}; known fields: ${FIELDS.join(', ')}`,
      );
    } else if (typeof value !== type)
      complain(at.child(name), type === 'string' ? 'must be a string' : 'must be true or false');
  }
  if (errors.length > before) return undefined;
  const text = (name: string): string => (fields.get(name) as string | undefined) ?? '';
  const value = text('value');
  return {
    taint: { key: text('key'), ...(value === '' ? {} : { value }), effect: text('effect') },
    remove: fields.get('remove') === true,
  };
}

interface PlacedLabels {
  readonly set: ReadonlyMap<string, string>;
  readonly setAt: ReadonlyMap<string, FieldPath>;
  readonly remove: readonly Placed<string>[];
}

function readLabels(given: GivenTaintEdit['labels'], at: FieldPath, errors: EditError[]): PlacedLabels | undefined {
  if (given === undefined) return undefined;
  const set = new Map<string, string>();
  const setAt = new Map<string, FieldPath>();
  const remove: Placed<string>[] = [];
  const complain = (place: FieldPath, message: string): void => {
    errors.push({ code: 'invalid-label', message, ...placeOf(place) });
  };
  if (typeof given !== 'object' || given === null) {
    complain(at, 'must be a list of strings such as key=value or key-, or a map of keys to values');
    return undefined;
  }
  if (!Array.isArray(given)) {
    for (const [key, value] of Object.entries(given)) {
      const place = at.key(key);
      if (value === null) remove.push({ item: key, at: place, isWord: true });
      else if (typeof value !== 'string') complain(place, 'must be a string, or null to remove the label');
      else {
        set.set(key, value);
        setAt.set(key, place);
      }
    }
    return { set, setAt, remove };
  }
  for (const [index, word] of given.entries()) {
    const place = at.index(index);
    if (typeof word !== 'string') {
      complain(place, 'must be a string such as key=value or key-');
      continue;
    }
    try {
      const read = parseLabelArguments([word]);
      for (const [key, value] of read.set) {
        set.set(key, value);
        setAt.set(key, place);
      }
      for (const key of read.remove) remove.push({ item: key, at: place, isWord: true });
    } catch (error) {
      if (!(error instanceof KubectlError)) throw error;
      errors.push({ code: error.code, message: error.message, ...placeOf(place) });
    }
  }
  return { set, setAt, remove };
}

const placeOf = (at: FieldPath): { readonly field: string; readonly pointer: string } => ({
  field: at.toString(),
  pointer: at.toPointer(),
});

const ENTRY = /^\/(add|remove)\/(\d+)(?:\/(\w+))?$/;
const REMOVED_LABEL = /^\/labels\/remove\/(\d+)$/;
const SET_LABEL = /^\/labels\/set\/(.*)$/;

/** An error of `checkTaintEdit` with its position in the input, which its message includes, too. */
function replaced(error: EditError, at: FieldPath, taints: PlacedTaints, labels: PlacedLabels | undefined): EditError {
  const { code, message, pointer = '' } = error;
  const place = givenPlace(pointer, taints, labels);
  if (place === undefined) return { code, message, ...placeOf(at) };
  const namesField = error.field !== undefined && message.startsWith(`${error.field}: `);
  return {
    code,
    message: namesField ? message.slice((error.field ?? '').length + 2) : message,
    ...placeOf(place),
  };
}

function givenPlace(pointer: string, taints: PlacedTaints, labels: PlacedLabels | undefined): FieldPath | undefined {
  const [, list, index, field] = ENTRY.exec(pointer) ?? [];
  if (list !== undefined) {
    const entry = taints[list as 'add' | 'remove'][Number(index)];
    return entry === undefined || entry.isWord || field === undefined ? entry?.at : entry.at.child(field);
  }
  const [, removed] = REMOVED_LABEL.exec(pointer) ?? [];
  if (removed !== undefined) return labels?.remove[Number(removed)]?.at;
  const [, escaped] = SET_LABEL.exec(pointer) ?? [];
  return escaped === undefined ? undefined : labels?.setAt.get(escaped.replaceAll('~1', '/').replaceAll('~0', '~'));
}
