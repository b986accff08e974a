import type { JsonObject, JsonValue } from '../json/json-value.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { isJsonObject } from '../kubernetes/schema/containers.js';
import { cleanText } from './clean-text.js';

/**
 * What the body of a request says of one field:
 *
 * - `{ value }`: it sets the field to this, whole (`spec.taints` is an atomic list to every kind of patch);
 * - `touched`: it changes the field, but what becomes of it depends on what was there;
 * - `omitted`: it is silent, which takes the field away if this is a server-side apply by a manager that owned it;
 * - `untouched`: it is silent, and so leaves the field alone;
 * - `unknown`: the body is not in the event.
 */
export type Requested<T> = { readonly value: T } | 'touched' | 'omitted' | 'untouched' | 'unknown';

/** What a write to a node asked for. */
export interface RequestedState {
  readonly taints: Requested<readonly Taint[]>;
  readonly unschedulable: Requested<boolean>;
  /** The resourceVersion that the write was conditional on: it succeeds only if the node is still at it. */
  readonly resourceVersion?: string;
}

/** A request whose body is not known. */
export const NOTHING_KNOWN: RequestedState = { taints: 'unknown', unschedulable: 'unknown' };

/**
 * What the body of a create, update or patch of a node asks of its taints and cordon. Whatever the type of the patch (the
 * event does not tell it), the shape does: a list is a JSON Patch (RFC 6902), an object a merge or an apply.
 *
 * Example: `{"spec":{"unschedulable":null}}`, as `kubectl uncordon` sends it, sets unschedulable to false and leaves the
 * taints untouched.
 */
export function requestedState(verb: string, body: JsonValue | undefined): RequestedState {
  if (Array.isArray(body)) return ofJsonPatch(body);
  if (!isJsonObject(body)) return NOTHING_KNOWN;
  const metadata = own(body, 'metadata');
  const resourceVersion = isJsonObject(metadata) ? own(metadata, 'resourceVersion') : undefined;
  const precondition =
    typeof resourceVersion === 'string' && resourceVersion !== ''
      ? { resourceVersion: cleanText(resourceVersion) }
      : {};
  const spec = own(body, 'spec');
  if (verb !== 'patch') {
    const written = isJsonObject(spec) ? spec : {};
    return {
      taints: ofTaints(own(written, 'taints')),
      unschedulable: ofUnschedulable(own(written, 'unschedulable')),
      ...precondition,
    };
  }
  // An apply names the kind of what it applies; other patches may, too.
  const silent = typeof own(body, 'kind') === 'string' && typeof own(body, 'apiVersion') === 'string';
  const unsaid = silent ? 'omitted' : 'untouched';
  if (Object.hasOwn(body, '$patch') || spec === null) return { taints: 'touched', unschedulable: 'touched' };
  if (!isJsonObject(spec)) return { taints: unsaid, unschedulable: unsaid, ...precondition };
  if (Object.hasOwn(spec, '$patch') || Object.hasOwn(spec, '$retainKeys')) {
    return { taints: 'touched', unschedulable: 'touched', ...precondition };
  }
  return {
    taints: Object.hasOwn(spec, 'taints') ? ofTaints(spec['taints']) : unsaid,
    unschedulable: Object.hasOwn(spec, 'unschedulable') ? ofUnschedulable(spec['unschedulable']) : unsaid,
    ...precondition,
  };
}

/** Taints as an object of the API holds them; undefined where the value is not a list of taints. */
export function taintsIn(value: JsonValue | undefined): readonly Taint[] | undefined {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return undefined;
  const taints: Taint[] = [];
  for (const item of value) {
    if (!isJsonObject(item) || Object.hasOwn(item, '$patch')) return undefined;
    const { key, value: taintValue, effect, timeAdded } = item;
    if (typeof key !== 'string') return undefined;
    taints.push({
      key: cleanText(key),
      ...(typeof taintValue === 'string' && taintValue !== '' && { value: cleanText(taintValue) }),
      effect: typeof effect === 'string' ? cleanText(effect) : '',
      ...(typeof timeAdded === 'string' && { timeAdded: cleanText(timeAdded) }),
    });
  }
  return taints;
}

function ofTaints(value: JsonValue | undefined): Requested<readonly Taint[]> {
  const taints = taintsIn(value);
  return taints === undefined ? 'touched' : { value: taints };
}

function ofUnschedulable(value: JsonValue | undefined): Requested<boolean> {
  return value === undefined || value === null || typeof value === 'boolean' ? { value: value === true } : 'touched';
}

function ofJsonPatch(operations: readonly JsonValue[]): RequestedState {
  let taints: Requested<readonly Taint[]> = 'untouched';
  let unschedulable: Requested<boolean> = 'untouched';
  let resourceVersion: string | undefined;
  for (const operation of operations) {
    if (!isJsonObject(operation)) return { taints: 'touched', unschedulable: 'touched' };
    const { op, path, from, value } = operation;
    if (op === 'test') {
      const known = path === '/metadata/resourceVersion' && typeof value === 'string';
      if (known) resourceVersion = cleanText(value);
      continue;
    }
    const places = [path, op === 'move' ? from : undefined];
    const sets = op === 'add' || op === 'replace';
    for (const place of places) {
      if (typeof place !== 'string') continue;
      if (place === '/spec/taints' && place === path && (sets || op === 'remove')) {
        taints = ofTaints(op === 'remove' ? null : value);
      } else if (isWithin(place, '/spec/taints')) {
        taints = 'touched';
      }
      if (place === '/spec/unschedulable' && place === path && (sets || op === 'remove')) {
        unschedulable = ofUnschedulable(op === 'remove' ? null : value);
      } else if (isWithin(place, '/spec/unschedulable')) {
        unschedulable = 'touched';
      }
    }
  }
  return { taints, unschedulable, ...(resourceVersion !== undefined && { resourceVersion }) };
}

/** Whether a JSON pointer names the place, something in it, or something that it is in. */
function isWithin(pointer: string, place: string): boolean {
  return pointer === place || pointer.startsWith(`${place}/`) || place.startsWith(`${pointer}/`);
}

const own = (object: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;
