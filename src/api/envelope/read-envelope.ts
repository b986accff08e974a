import type { ValidationError } from 'class-validator';
import { InvalidRequestError } from '../../app/errors/invalid-request-error.js';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import { commonChecks, noteManifestChecks, type SentManifest } from '../../app/manifests/manifest-checks.js';
import { FieldPath } from '../../core/kubernetes/field-path.js';
import { propertiesByName, propertiesOf, type PropertyInfo } from '../contract/field-decorators.js';
import { Slices } from '../../event-loop/slices.js';
import { prepareChecks, stepErrors } from './check-property.js';
import { stepSentManifests } from './sent-manifests.js';
import { isJsonObject } from '../../core/json/json-value.js';

type EnvelopeClass<T> = new () => T;

/** What is known of a rejected request when it is checked for further errors. */
export interface Rejected {
  /** The names of the members that have an error, or contain one. */
  readonly invalid: ReadonlySet<string>;
  /** The time of the request; undefined if what depends on it is not to be checked. */
  readonly now: Date | undefined;
}

/** Errors that take time to find come later. */
export type FurtherErrors = readonly ErrorDetail[] | Promise<readonly ErrorDetail[]>;

/** A class that can report further errors in a request that is already rejected. */
export interface HasCrossFieldErrors {
  /** Gets the request as it is: invalid members may have any type. */
  readonly crossFieldErrors?: (request: never, rejected: Rejected) => FurtherErrors;
  /** The member that these errors are about; by default the request itself. */
  readonly crossFieldMember?: string;
}

/** A request as far as it could be read, and its errors. */
export interface EnvelopeReading<T> {
  /** Undefined if the request is not an object. */
  readonly envelope: T | undefined;
  readonly errors: readonly ErrorDetail[];
  /** What the API server would warn of in manifests. */
  readonly warnings: readonly string[];
  /** The manifests whose check depends on the version. */
  readonly unchecked: readonly SentManifest[];
}

/** The maximum number of unknown fields to report; a response shows no more. */
const MAX_UNKNOWN = 1000;

/**
 * Converts a request to an instance of its class: known properties only, with null treated as absent. Reports every
 * error together. Kubernetes objects are passed through unchanged.
 *
 * Values are validated by class-validator. The instances are not created by class-transformer, which would copy
 * Kubernetes objects and silently drop keys such as `constructor` and `__proto__`.
 *
 * What the API server says of the fields of manifests depends on its version: `manifestChecksOf` the instance has what is left to check.
 *
 * @param now the time of the request, for errors that depend on it
 * @throws {InvalidRequestError}
 */
export async function readEnvelope<T extends object>(
  envelopeClass: EnvelopeClass<T>,
  value: unknown,
  now?: Date,
): Promise<T> {
  const reading = await new Slices().run(stepReading(envelopeClass, value));
  const { envelope, errors, unchecked } = reading;
  if (envelope === undefined || errors.length > 0) {
    throw new InvalidRequestError([...errors, ...(await furtherErrors(envelopeClass, reading, now))]);
  }
  noteManifestChecks(envelope, unchecked);
  return envelope;
}

/** Like `readEnvelope`, but returns the errors, without those of `furtherErrors`. Yields between the items of lists. */
export function* stepReading<T extends object>(
  envelopeClass: EnvelopeClass<T>,
  value: unknown,
): Generator<undefined, EnvelopeReading<T>> {
  if (!isJsonObject(value)) {
    const error = { pointer: '', code: 'isObject', message: 'The body must be an object.' };
    return { envelope: undefined, errors: [error], warnings: [], unchecked: [] };
  }
  const details: ErrorDetail[] = [];
  const envelope = yield* stepInstantiate(envelopeClass, value, undefined, details);
  for (const error of yield* stepErrors(envelope, envelopesIn)) collect(error, undefined, details);
  if (details.length > 0) {
    details.unshift(...rawManifest(envelopeClass, value));
    return { envelope, errors: details, warnings: [], unchecked: [] };
  }
  const { others: unchecked, ...checks } = commonChecks(yield* stepSentManifests(envelopeClass, envelope));
  return { envelope, ...checks, unchecked };
}

/** The names of the members of an envelope that hold envelopes. */
function envelopesIn({ constructor }: object): readonly string[] {
  // An object where no envelope belongs may have no class, or anything as a member of that name.
  if (typeof (constructor as unknown) !== 'function') return [];
  return propertiesOf(constructor as EnvelopeClass<object>)
    .filter(({ type, readApart }) => typeof type === 'function' && readApart !== true)
    .map(({ name }) => name);
}

/** The errors of a rejected request that only a check of the whole finds, besides those that are known. */
export async function furtherErrors<T extends object>(
  envelopeClass: EnvelopeClass<T>,
  { envelope, errors }: EnvelopeReading<T>,
  now: Date | undefined,
): Promise<readonly ErrorDetail[]> {
  const { crossFieldErrors, crossFieldMember: member } = envelopeClass as HasCrossFieldErrors;
  if (crossFieldErrors === undefined || envelope === undefined) return [];
  const checked: unknown = member === undefined ? envelope : (envelope as Readonly<Record<string, unknown>>)[member];
  if (!isJsonObject(checked)) return [];
  const known = errors.map(pathOf);
  const depth = member === undefined ? 0 : 1;
  const invalid = new Set(known.flatMap((path) => (path[depth] === undefined ? [] : [path[depth]])));
  const found = await crossFieldErrors(checked as never, { invalid, now });
  return (member === undefined ? found : found.map((error) => below(member, error))).filter((error) => {
    const path = pathOf(error);
    return !known.some((one) => one.length > 0 && one.every((name, index) => path[index] === name));
  });
}

/** The member names of an error's place. */
function pathOf({ pointer, field }: ErrorDetail): readonly string[] {
  if (pointer !== undefined) return pointer.split('/').slice(1);
  return field === undefined || field === '' ? [] : [field];
}

/** An error of a member's value, as an error of the whole. */
export function below(member: string, { pointer, field, ...error }: ErrorDetail): ErrorDetail {
  return {
    ...error,
    ...(pointer !== undefined && { pointer: `/${member}${pointer}` }),
    ...(field !== undefined && { field: field === '' ? member : `${member}.${field}` }),
  };
}

/** The error for a Kubernetes object that was sent in place of the request. */
function rawManifest(envelopeClass: EnvelopeClass<object>, value: object): ErrorDetail[] {
  const { apiVersion, kind } = value as { readonly apiVersion?: unknown; readonly kind?: unknown };
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return [];
  const properties = propertiesOf(envelopeClass);
  if (properties.some(({ name }) => name === 'apiVersion')) return [];
  const names = properties.filter(({ type }) => type === 'kubernetesObject').map(({ name }) => name);
  const fitting = names.find((name) => name.toLowerCase() === kind.toLowerCase());
  const shown = (fitting === undefined ? names : [fitting]).map((name) => `{"${name}": ...}`);
  if (shown.length === 0) return [];
  const message = `the body is a manifest (${kind.slice(0, 63)}); send a request that contains it as ${shown.join(' or ')}`;
  return [{ pointer: '', code: 'raw-manifest', message }];
}

function* stepInstantiate<T extends object>(
  envelopeClass: EnvelopeClass<T>,
  value: object,
  at: FieldPath | undefined,
  details: ErrorDetail[],
): Generator<undefined, T> {
  prepareChecks(envelopeClass);
  const envelope = new envelopeClass();
  const known = propertiesByName(envelopeClass);
  for (const [key, member] of Object.entries(value) as [string, unknown][]) {
    const path = at?.child(key) ?? FieldPath.of(key);
    const property = known.get(key);
    if (property === undefined) {
      // Reports only as many errors as the response shows.
      if (details.length < MAX_UNKNOWN) details.push(unknownField(key, path, [...known.values()]));
    } else if (member !== null && member !== undefined) {
      const made = yield* stepMember(property, member, path, details);
      (envelope as Record<string, unknown>)[property.name] = made;
    }
  }
  return envelope;
}

function* stepMember(
  property: PropertyInfo,
  member: unknown,
  path: FieldPath,
  details: ErrorDetail[],
): Generator<undefined, unknown> {
  const { type } = property;
  if (typeof type !== 'function' || property.readApart === true) return member;
  const envelopeClass = type() as EnvelopeClass<object>;
  if (property.list !== true || !Array.isArray(member)) {
    return isJsonObject(member) ? yield* stepInstantiate(envelopeClass, member, path, details) : member;
  }
  const items: unknown[] = [];
  for (const [index, item] of (member as readonly unknown[]).entries()) {
    if (index > 0) yield;
    items.push(isJsonObject(item) ? yield* stepInstantiate(envelopeClass, item, path.index(index), details) : item);
  }
  return items;
}

function unknownField(key: string, path: FieldPath, known: readonly PropertyInfo[]): ErrorDetail {
  const names = known.map(({ name }) => name);
  const like = names.find((name) => name.toLowerCase() === key.toLowerCase());
  const hint =
    renamedHint(key, known) ??
    (like === undefined ? `known fields are ${names.join(', ')}` : `did you mean ${JSON.stringify(like)}?`);
  return {
    pointer: path.toPointer(),
    field: path.toString(),
    code: 'unknown-field',
    message: `unknown field ${JSON.stringify(key.slice(0, 200))}; ${hint}`,
  };
}

/** A hint for a renamed member. */
export function renamedHint(given: string, known: Iterable<PropertyInfo>): string | undefined {
  const renamed = [...known].find(({ formerName }) => formerName === given);
  return renamed && `it is now called ${JSON.stringify(renamed.name)}`;
}

function collect(error: ValidationError, at: FieldPath | undefined, details: ErrorDetail[]): void {
  // An object where a list belongs has no item names; the error is reported for the list.
  if (error.constraints?.['unknownValue'] !== undefined) return;
  const inList = Array.isArray(error.target);
  const path = inList ? at!.index(Number(error.property)) : (at?.child(error.property) ?? FieldPath.of(error.property));
  const constraints = constraintsOf(error);
  // A wrong type makes other errors about the same value redundant; an absent value has a single error.
  const required = error.value === undefined && constraints.length > 0;
  const typeErrors = constraints.filter(([name]) => name.startsWith('is'));
  const shown = required ? [['required', 'is required'] as const] : typeErrors.length > 0 ? typeErrors : constraints;
  for (const [code, message] of shown) {
    details.push({
      pointer: path.toPointer(),
      field: path.toString(),
      code,
      message: sentence(message, error.property),
    });
  }
  for (const child of error.children ?? []) collect(child, path, details);
}

/** Of a list, each item that is no object is reported, not the list: the other items are checked further. */
function constraintsOf({ constraints = {}, children = [] }: ValidationError): readonly (readonly [string, string])[] {
  const isNoObject = (item: ValidationError): boolean => item.constraints?.['nestedValidation'] !== undefined;
  return Object.entries(constraints).flatMap(([code, message]) => {
    if (code === 'nestedValidation') {
      return constraints['isObject'] === undefined ? [['isObject', 'must be an object'] as const] : [];
    }
    return code === 'isObject' && children.some(isNoObject) ? [] : [[code, message] as const];
  });
}

/** Removes the property name that class-validator's own messages begin with; the error already names it. */
function sentence(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}
