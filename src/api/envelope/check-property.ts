import type { ValidationError, ValidationOptions, ValidatorOptions } from 'class-validator';
import { createRequire } from 'node:module';
import type { PropertyOptions } from '../contract/field-decorators.js';
import { isRfc3339 } from '../../app/rfc3339.js';
import { syntaxError, SYNTAX_CODES } from '../../app/syntax-error.js';
import type { Syntax } from '../../contract/schema.js';
import { isJsonObject } from '../../core/json/json-value.js';

/** The maximum length of a string, unless its property sets another. */
const MAX_STRING_LENGTH = 4096;
/** The maximum length of a list, unless its property sets another. */
const MAX_LIST_LENGTH = 1000;
/** The maximum number of labels of an object; real objects have a few dozen. */
const MAX_LABELS = 500;

/** The parts of class-validator that are used, by their files: all of it has ten times as many, with rules on telephone numbers of the world. */
const DECORATORS = {
  ArrayMaxSize: 'array/ArrayMaxSize',
  IsArray: 'typechecker/IsArray',
  IsBoolean: 'typechecker/IsBoolean',
  IsIn: 'common/IsIn',
  IsInt: 'typechecker/IsInt',
  IsNumber: 'typechecker/IsNumber',
  IsOptional: 'common/IsOptional',
  IsString: 'typechecker/IsString',
  Max: 'number/Max',
  MaxLength: 'string/MaxLength',
  Min: 'number/Min',
  ValidateBy: 'common/ValidateBy',
  ValidateNested: 'common/ValidateNested',
} as const;

type Whole = typeof import('class-validator');
interface ClassValidator extends Pick<Whole, keyof typeof DECORATORS | 'ValidationError'> {
  readonly validateSync: (object: object, options: ValidatorOptions) => ValidationError[];
}
let loaded: ClassValidator | undefined;

/** Loads class-validator with the first request body instead of at startup. */
function classValidator(): ClassValidator {
  if (loaded !== undefined) return loaded;
  const require = createRequire(import.meta.url);
  const load = (path: string) => require(`class-validator/cjs/${path}.js`) as Partial<Whole>;
  const { Validator } = load('validation/Validator');
  const { ValidationError } = load('validation/ValidationError');
  const validator = new Validator!();
  const decorators = Object.entries(DECORATORS).map(([name, path]) => [
    name,
    load(`decorator/${path}`)[name as keyof typeof DECORATORS],
  ]);
  loaded = {
    ...(Object.fromEntries(decorators) as Pick<Whole, keyof typeof DECORATORS>),
    ValidationError: ValidationError!,
    validateSync: (object, options) => validator.validateSync(object, options),
  };
  return loaded;
}

/** Items of a list of envelopes that are validated in one step. */
const ITEMS = 100;

/**
 * Validates an envelope with the checks of its properties: long lists in parts, between which it yields, also those of an envelope in it.
 * @param envelopesIn the names of the properties of an envelope that hold envelopes
 */
export function* stepErrors(
  envelope: object,
  envelopesIn: (envelope: object) => readonly string[],
): Generator<undefined, readonly ValidationError[]> {
  const { ValidationError, validateSync } = classValidator();
  const lists = longLists(envelope, envelopesIn);
  const inner = envelopesIn(envelope).flatMap((name) => {
    const value = (envelope as Members)[name];
    if (!isJsonObject(value)) return [];
    const ofValue = longLists(value, envelopesIn);
    return ofValue.length === 0 ? [] : [{ name, value, lists: ofValue }];
  });
  if (lists.length === 0 && inner.length === 0) return validateSync(envelope, { forbidUnknownValues: true });
  // The lists without their items are as long as with them, so that the lengths are checked.
  const short = {
    ...envelope,
    ...emptyLists(lists),
    ...Object.fromEntries(inner.map((one) => [one.name, shortened(one)])),
  };
  const found = validateSync(like(envelope, short), { forbidUnknownValues: true });
  yield* stepItems(envelope, lists, found);
  for (const { name, value, lists: ofValue } of inner) {
    const error = found.find(({ property }) => property === name);
    const children = [...(error?.children ?? [])];
    yield* stepItems(value, ofValue, children);
    if (error !== undefined) error.children = children;
    else if (children.length > 0) {
      found.push(Object.assign(new ValidationError(), { target: envelope, property: name, value, children }));
    }
  }
  return found;
}

type Lists = readonly (readonly [name: string, list: readonly unknown[]])[];

function longLists(envelope: object, envelopesIn: (envelope: object) => readonly string[]): Lists {
  return envelopesIn(envelope).flatMap((name) => {
    const list = (envelope as Members)[name];
    return Array.isArray(list) && list.length > ITEMS ? [[name, list as readonly unknown[]] as const] : [];
  });
}

const shortened = ({ value, lists }: { readonly value: object; readonly lists: Lists }): object =>
  like(value, { ...value, ...emptyLists(lists) });

/** Validates the items of lists, and adds their errors to those of the lists. */
function* stepItems(envelope: object, lists: Lists, found: ValidationError[]): Generator<undefined, void> {
  const { validateSync } = classValidator();
  for (const [name, list] of lists) {
    let error = found.find(({ property }) => property === name);
    for (let from = 0; from < list.length; from += ITEMS) {
      yield;
      const part = like(envelope, { [name]: list.slice(from, from + ITEMS) });
      const [more] = validateSync(part, { forbidUnknownValues: true, skipMissingProperties: true });
      if (more === undefined) continue;
      for (const child of more.children ?? []) child.property = String(from + Number(child.property));
      if (error === undefined) {
        more.value = list;
        found.push((error = more));
      } else {
        error.constraints = { ...error.constraints, ...more.constraints };
        error.children = [...(error.children ?? []), ...(more.children ?? [])];
      }
    }
  }
}

type Members = Readonly<Record<string, unknown>>;

const emptyLists = (lists: Lists): Members =>
  Object.fromEntries(lists.map(([name, { length }]) => [name, Array<unknown>(length)]));

/** An envelope of the same class with other members. */
const like = (envelope: object, members: Members): object =>
  Object.assign(Object.create(Object.getPrototypeOf(envelope) as object) as object, members);

const waiting = new WeakMap<object, (() => void)[]>();

/** Adds class-validator checks to a request property. Kubernetes objects are validated in the core. */
export function checkProperty(prototype: object, name: string, options: PropertyOptions): void {
  const before = waiting.get(prototype) ?? [];
  waiting.set(prototype, [...before, () => hangChecks(prototype, name, options)]);
}

/** Prepares the checks of a class and of its base classes, before the first envelope of the class is validated. */
export function prepareChecks(envelopeClass: { readonly prototype: object }): void {
  for (let at: object | null = envelopeClass.prototype; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    for (const hang of waiting.get(at) ?? []) hang();
    waiting.delete(at);
  }
}

function hangChecks(prototype: object, name: string, options: PropertyOptions): void {
  const { ArrayMaxSize, IsArray, IsOptional } = classValidator();
  const each: ValidationOptions = options.list === true ? { each: true } : {};
  const checks = checksOf(options, each);
  if (options.optional === true) checks.push(IsOptional());
  if (options.list === true) checks.push(IsArray(), ArrayMaxSize(options.maximumLength ?? MAX_LIST_LENGTH));
  for (const check of checks) check(prototype, name);
}

function checksOf(options: PropertyOptions, each: ValidationOptions): PropertyDecorator[] {
  const { IsBoolean, IsIn, IsInt, IsNumber, IsString, Max, MaxLength, Min, ValidateNested } = classValidator();
  const { type, minimum, maximum } = options;
  if (options.readApart === true) return [];
  if (typeof type === 'function') return [isMap(each), ValidateNested(each)];
  if (typeof type === 'object') {
    if ('form' in type) return [];
    return [IsIn([...type.values], { ...each, message: `must be one of ${type.values.join(', ')}` })];
  }
  const length = options.list === true ? MAX_STRING_LENGTH : (options.maximumLength ?? MAX_STRING_LENGTH);
  switch (type) {
    case 'integer':
      return [
        IsInt({ ...each, message: 'must be an integer' }),
        Min(minimum ?? -(2 ** 31), { ...each, message: `must be at least ${minimum ?? -(2 ** 31)}` }),
        Max(maximum ?? 2 ** 31 - 1, { ...each, message: `must be at most ${maximum ?? 2 ** 31 - 1}` }),
      ];
    case 'number':
      return [
        IsNumber({}, { ...each, message: 'must be a number' }),
        ...(minimum === undefined ? [] : [Min(minimum, { ...each, message: `must be at least ${minimum}` })]),
        ...(maximum === undefined ? [] : [Max(maximum, { ...each, message: `must be at most ${maximum}` })]),
      ];
    case 'int64':
      return [check('isInt64', 'must be a 64-bit integer', isInt64, each)];
    case 'boolean':
      return [IsBoolean({ ...each, message: 'must be true or false' })];
    case 'time':
      return [check('isTime', 'must be an RFC 3339 time, such as 2026-05-04T03:02:01Z', isTime, each)];
    case 'labels':
      return [check('isLabels', `must be a map of strings to strings, ${MAX_LABELS} at most`, isLabels, each)];
    case 'kubernetesObject':
      return [isMap(each)];
    case 'quantity':
      return [check('isQuantity', 'must be a string or a number', isStringOrNumber, each)];
    case 'json':
      return [];
    case 'id':
    case 'string':
    case 'identifier':
      return [
        IsString({ ...each, message: 'must be a string' }),
        MaxLength(length, { ...each, message: `must be no longer than ${length} characters` }),
        check('isText', 'must not contain a NUL character or an unpaired surrogate', isText, each),
        ...(options.syntax === undefined ? [] : [hasSyntax(options.syntax, each)]),
      ];
  }
}

function check(
  name: string,
  message: string,
  holds: (value: unknown) => boolean,
  options: ValidationOptions,
): PropertyDecorator {
  return classValidator().ValidateBy(
    { name, validator: { validate: (value: unknown) => holds(value), defaultMessage: () => message } },
    options,
  );
}

/** Reports the first string that does not follow the syntax. Values of other types have been reported. */
function hasSyntax(syntax: Syntax, options: ValidationOptions): PropertyDecorator {
  const errorOf = (value: unknown): string | undefined =>
    typeof value === 'string' && isText(value) ? syntaxError(syntax, value)?.message : undefined;
  const validator = {
    validate: (value: unknown) => errorOf(value) === undefined,
    defaultMessage: ({ value }: { readonly value: unknown }) =>
      [value]
        .flat()
        .map(errorOf)
        .find((message) => message !== undefined) ?? '',
  };
  return classValidator().ValidateBy({ name: SYNTAX_CODES[syntax], validator: validator as never }, options);
}

function isMap(options: ValidationOptions): PropertyDecorator {
  return check('isObject', 'must be an object', isJsonObject, options);
}

function isInt64(value: unknown): boolean {
  return typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value);
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && isRfc3339(value);
}

function isLabels(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const members = Object.values(value as object);
  return members.length <= MAX_LABELS && members.every((member) => typeof member === 'string');
}

function isStringOrNumber(value: unknown): boolean {
  return ['string', 'number', 'bigint'].includes(typeof value);
}

/** Postgres cannot store these characters, and no name or selector contains them. */
function isText(value: unknown): boolean {
  return typeof value !== 'string' || !/\u0000|\p{Surrogate}/u.test(value);
}
