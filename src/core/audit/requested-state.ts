import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { cleanText, cleanValue } from './clean-text.js';
import { type RecordedTaint, ruleTaintState, type TaintedDevices } from './rule-subject.js';

/**
 * What the body of a request does to one field:
 *
 * - `{ value }`: sets the complete field (`spec.taints` is an atomic list for every kind of patch);
 * - `touched`: changes the field, with a result that depends on its former value;
 * - `omitted`: does not contain it, which removes the field in a server-side apply by a manager that owned it;
 * - `untouched`: does not contain it, and leaves the field unchanged;
 * - `unknown`: the body is not in the event.
 */
export type Requested<T> = { readonly value: T } | 'touched' | 'omitted' | 'untouched' | 'unknown';

/** What a write to a node requested. */
export interface RequestedState {
  readonly taints: Requested<readonly RecordedTaint[]>;
  readonly unschedulable: Requested<boolean>;
  /** The resourceVersion that the write was conditional on: it succeeds only if the node still has it. */
  readonly resourceVersion?: string;
}

/** A request whose body is not known. */
export const NOTHING_KNOWN: RequestedState = { taints: 'unknown', unschedulable: 'unknown' };

/**
 * What the body of a create, update or patch of a node requests for its taints and cordon. The event lacks the type of
 * a patch, but its shape shows it: a list is a JSON Patch (RFC 6902), an object is a merge or an apply.
 *
 * Example: `{"spec":{"unschedulable":null}}`, as sent by `kubectl uncordon`, sets unschedulable to false and leaves the
 * taints untouched.
 */
export function requestedState(verb: string, body: JsonValue | undefined): RequestedState {
  if (Array.isArray(body)) return ofJsonPatch(body);
  if (!isJsonObject(body)) return NOTHING_KNOWN;
  const precondition = preconditionIn(body);
  const spec = own(body, 'spec');
  if (verb !== 'patch') {
    const written = isJsonObject(spec) ? spec : {};
    return {
      taints: ofTaints(own(written, 'taints')),
      unschedulable: ofUnschedulable(own(written, 'unschedulable')),
      ...precondition,
    };
  }
  // An apply has a kind; other patches may have one, too.
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

/** The taints of an API object; undefined if the value is not a list of taints. */
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

function preconditionIn(body: JsonObject): Pick<RequestedState, 'resourceVersion'> {
  const metadata = own(body, 'metadata');
  const resourceVersion = isJsonObject(metadata) ? own(metadata, 'resourceVersion') : undefined;
  return typeof resourceVersion === 'string' && resourceVersion !== ''
    ? { resourceVersion: cleanText(resourceVersion) }
    : {};
}

/**
 * The same for a DeviceTaintRule, which has one taint. What a patch makes of the taint and its devices depends on what they were.
 */
export function requestedRule(verb: string, body: JsonValue | undefined): RequestedState {
  const rest = { unschedulable: 'untouched', ...(isJsonObject(body) && preconditionIn(body)) } as const;
  if (Array.isArray(body)) {
    const touches = body.some((operation) => !isJsonObject(operation) || touchesSpec(operation));
    return { taints: touches ? 'touched' : 'untouched', ...rest };
  }
  if (!isJsonObject(body)) return { taints: 'unknown', ...rest };
  if (verb === 'patch') return { taints: Object.hasOwn(body, 'spec') ? 'touched' : 'untouched', ...rest };
  const taints = ruleTaintsIn(own(body, 'spec'));
  return { taints: taints === undefined ? 'touched' : { value: taints }, ...rest };
}

const touchesSpec = ({ op, path, from }: JsonObject): boolean =>
  op !== 'test' && [path, from].some((place) => typeof place === 'string' && isWithin(place, '/spec'));

/** The taint of a rule's spec with its devices; undefined if it is not one. */
export function ruleTaintsIn(spec: JsonValue | undefined): readonly RecordedTaint[] | undefined {
  if (!isJsonObject(spec)) return undefined;
  const [taint] = taintsIn([own(spec, 'taint') ?? null]) ?? [];
  if (taint === undefined) return undefined;
  const { deviceSelector } = spec;
  const devices = isJsonObject(deviceSelector) ? (cleanValue(deviceSelector) as TaintedDevices) : undefined;
  return ruleTaintState({ taint, ...(devices !== undefined && { deviceSelector: devices }) }).taints;
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

/** Whether a JSON pointer points to the field, into it, or to an ancestor of it. */
function isWithin(pointer: string, place: string): boolean {
  return pointer === place || pointer.startsWith(`${place}/`) || place.startsWith(`${pointer}/`);
}

const own = (object: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;
