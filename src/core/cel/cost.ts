import { LibraryValue, sizeOf } from './operations.js';
import { CelMap, isList, Optional, type Value } from './values.js';

/** What a call costs, given its arguments, the receiver first, and its result. */
export type CallCost = (args: readonly Value[], result: Value) => number;

const STRING_FACTOR = 0.1;
const REGEX_FACTOR = 0.25;
export const LIST_COST = 10;
export const MAP_COST = 30;
export const STRUCT_COST = 40;

/** Elements of a list, characters of a text; 1 for what has no size. */
export const sizeForCost = (value: Value | undefined): number => {
  if (value === undefined) return 1;
  return sizeOf(value) ?? (value instanceof LibraryValue ? value.size : 1);
};

const sizeInOptional = (value: Value | undefined): number =>
  value instanceof Optional && value.value !== undefined ? sizeInOptional(value.value) : sizeForCost(value);

const traversals =
  (times: number): CallCost =>
  ([text]) =>
    Math.ceil(sizeForCost(text) * times * STRING_FACTOR);

const fixed =
  (cost: number): CallCost =>
  () =>
    cost;

const regexCost = (text: Value | undefined, regexSize: number): number =>
  Math.ceil((1 + sizeForCost(text)) * STRING_FACTOR) * Math.ceil(regexSize * REGEX_FACTOR);

const found: CallCost = ([text, regex]) => regexCost(text, sizeForCost(regex));

const selector: CallCost = ([, text]) => {
  const size = sizeForCost(text);
  return LIST_COST + Math.ceil(size * STRING_FACTOR) + Math.ceil(Math.ceil(size * 0.5) * (LIST_COST + 40));
};

const containsIp =
  (overload: string): CallCost =>
  ([cidr, other]) =>
    Math.ceil(2 * sizeForCost(cidr) * STRING_FACTOR) +
    (overload === 'cidr_contains_ip_string' ? Math.ceil(sizeForCost(other) * STRING_FACTOR) : 0);

const containsCidr =
  (overload: string): CallCost =>
  ([cidr, other]) =>
    Math.ceil(2 * sizeForCost(cidr) * STRING_FACTOR) +
    Math.ceil(sizeForCost(cidr) * STRING_FACTOR) +
    1 +
    (overload === 'cidr_contains_cidr_string' ? Math.ceil(sizeForCost(other) * STRING_FACTOR) : 0);

/** A value that knows how long a regular expression it is checked with. */
export interface HasRegex {
  readonly regexSize: number;
}

const validated: CallCost = ([format, text]) => regexCost(text, (format as unknown as HasRegex).regexSize);

function named(names: string, cost: CallCost): [string, (overload: string) => CallCost][] {
  return names.split(' ').map((name) => [name, () => cost]);
}

/**
 * The functions of Kubernetes, and some of cel-go's.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/cel/library/cost.go, `CallCost`.
 */
const BY_FUNCTION: ReadonlyMap<string, (overload: string) => CallCost> = new Map([
  ...named('check', fixed(350_000)),
  ...named('serviceAccount path group resource subresource namespace name allowed reason error errored', fixed(1)),
  ...named('fieldSelector labelSelector', selector),
  ...named('isSorted sum max min indexOf lastIndexOf', ([value]) => traversalOf(value!)),
  ...named('url lowerAscii upperAscii substring trim cidr isIP isCIDR', traversals(1)),
  ...named('quantity isQuantity semver isSemver', traversals(1)),
  ...named('replace split ip.isCanonical', traversals(2)),
  ...named('join', (_args, result) => Math.ceil(sizeForCost(result) * 2 * STRING_FACTOR)),
  ...named('find findAll', found),
  ['ip', (overload) => (overload === 'cidr_ip' ? fixed(1) : traversals(1))],
  ...named('masked prefixLength family isUnspecified isLoopback', fixed(1)),
  ...named('isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named', fixed(1)),
  ['containsIP', containsIp],
  ['containsCIDR', containsCidr],
  ...named('validate', validated),
  ...named('sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub', fixed(1)),
  ...named('major minor patch getScheme getHostname getHost getPort getEscapedPath getQuery', fixed(1)),
]);

const traversed: CallCost = ([text]) => Math.ceil(sizeInOptional(text) * STRING_FACTOR);
const compared: CallCost = ([a, b]) => Math.ceil(Math.min(sizeInOptional(a), sizeInOptional(b)) * STRING_FACTOR);
const joined: CallCost = ([a, b]) => Math.ceil((sizeInOptional(a) + sizeInOptional(b)) * STRING_FACTOR);

const listCost = (factor: number, size: number): number => Math.floor(size * factor) + 1 + LIST_COST;
const listMade: CallCost = (_args, result) => listCost(1, sizeForCost(result));
const flattened: CallCost = ([list, depth]) => listCost(depth === undefined ? 1 : Number(depth), sizeForCost(list));
const comparedWithin =
  (place: number): CallCost =>
  (args) => {
    const list = args[place]!;
    if (!isList(list) || list.length === 0) return listCost(2, 0);
    const isText = typeof list[0] === 'string' || list[0] instanceof Uint8Array;
    return listCost(isText ? 2 + STRING_FACTOR : 2, list.length * list.length);
  };
const setsCompared =
  (factor: number): CallCost =>
  ([a, b]) =>
    1 + sizeForCost(a) * sizeForCost(b) * factor;

const of = (ids: string, cost: CallCost): [string, CallCost][] => ids.split(' ').map((id) => [id, cost]);
const SORTED = [
  'int',
  'uint',
  'double',
  'bool',
  'google.protobuf.Duration',
  'google.protobuf.Timestamp',
  'string',
  'bytes',
];

/** Those that come before any other. Source: cel-go v0.26.0, ext/sets.go and ext/lists.go. */
const TRACKED: ReadonlyMap<string, CallCost> = new Map([
  ...of('list_sets_contains_list list_sets_intersects_list', setsCompared(1)),
  ...of('list_sets_equivalent_list', setsCompared(2)),
  ...of('list_slice lists_range list_reverse', listMade),
  ...of('list_flatten list_flatten_int', flattened),
  ...of('list_distinct', comparedWithin(0)),
  ...SORTED.flatMap((name) => of(`list_${name}_sort`, comparedWithin(0))),
  ...SORTED.flatMap((name) => of(`list_${name}_sortByAssociatedKeys`, comparedWithin(1))),
]);

/** Source: cel-go v0.26.0, interpreter/runtimecost.go, `costCall`. */
const BY_OVERLOAD: ReadonlyMap<string, CallCost> = new Map([
  ...of('starts_with_string ends_with_string string_to_bytes bytes_to_string strings_quote string_format', traversed),
  ...of('in_list', ([, list]) => sizeInOptional(list)),
  ...of('less_string greater_string less_equals_string greater_equals_string equals not_equals', compared),
  ...of('less_bytes greater_bytes less_equals_bytes greater_equals_bytes', compared),
  ...of('add_string add_bytes', joined),
  ...of('matches_string', found),
  ...of('contains_string', ([text, part]) => traversed([text!], null) * traversed([part!], null)),
]);

/** What a call costs; `overload` is empty where several signatures may be meant. */
export function costOfCall(name: string, overload: string): CallCost {
  const known = TRACKED.get(overload) ?? BY_FUNCTION.get(name)?.(overload) ?? BY_OVERLOAD.get(overload) ?? fixed(1);
  if (name !== '_==_') return known;
  return (args, result) => (args[0] instanceof LibraryValue ? 1 : known(args, result));
}

/** The cost of reading a value with all that is in it. */
function traversalOf(value: Value): number {
  if (typeof value === 'string') return Math.floor(utf8Length(value) * STRING_FACTOR);
  if (value instanceof Uint8Array) return Math.floor(value.length * STRING_FACTOR);
  if (isList(value)) return value.reduce<number>((sum, item) => sum + traversalOf(item), 0);
  if (!(value instanceof CelMap)) return 1;
  return value.all().reduce((sum, [key, item]) => sum + traversalOf(key) + traversalOf(item), 0);
}

function utf8Length(text: string): number {
  let length = 0;
  for (const point of text) {
    const code = point.codePointAt(0)!;
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return length;
}
