import { stepSorted } from './step-sorted.js';

/** Items that are equal except for their identity and for the values in columns. */
export interface AlikeGroup {
  /** Positions of the items, in the order in which they were added. */
  readonly members: readonly number[];
  /** The values that all items share. A value in which they differ is null here, and has a column. */
  readonly shared: Readonly<Record<string, unknown>>;
  readonly columns: readonly AlikeColumn[];
}

/** One value in which the items of a group differ. */
export interface AlikeColumn {
  /** Its path in an item: `at.latest`, `taints.0.timeAdded`. */
  readonly name: string;
  /** In the order of `members`. */
  readonly values: readonly unknown[];
}

export interface AlikeOptions {
  /** Members that identify an item; they are not part of the group. */
  readonly identity: readonly string[];
  /** Paths of values in which items of one group may differ; `*` matches every index of a list. */
  readonly varying: readonly string[];
  /** The varying values that split groups, as long as each has few variants. */
  readonly splitting?: readonly string[];
}

/** A value with more variants than this is not split by, but becomes a column. */
const MAX_SPLITS = 4;

/** Values that are compared in one step; objects take the longest. */
const STEP = 1000;

/** The parts of an item that are not compared. */
type Path = Leaf | Branch;
type Leaf = 'omitted' | 'varying';
type Branch = Map<string, Path>;

interface Found {
  /** Has the shared values; its varying values are those of the first member. */
  readonly first: object;
  readonly members: number[];
  /** The paths of varying values; `values` has the list of them for each member. */
  readonly paths: readonly string[];
  readonly values: unknown[][];
}

/**
 * Groups items one by one, in time linear in their number. Keeps only the varying values of each item. Groups are in the order
 * of their first items.
 */
export class AlikeGroups {
  private readonly tree: Branch = new Map();
  private readonly found = new Map<string, Found>();
  private readonly splitting: ReadonlySet<string>;
  private count = 0;

  constructor({ identity, varying, splitting = [] }: AlikeOptions) {
    for (const name of identity) this.tree.set(name, 'omitted');
    for (const path of varying) addPath(this.tree, path.split('.'));
    this.splitting = new Set(splitting);
  }

  /** @param item plain data; undefined members are ignored */
  add(item: object): void {
    const values: unknown[] = [];
    const key = keyOf(item, this.tree, values);
    let found = this.found.get(key);
    if (found === undefined) {
      const paths = pathsOf(item, this.tree);
      found = { first: item, members: [], paths, values: paths.map(() => []) };
      this.found.set(key, found);
    }
    found.members.push(this.count++);
    for (let index = 0; index < values.length; index++) found.values[index]!.push(values[index]);
  }

  /** Yields after each `STEP` values. */
  *stepGroups(): Generator<undefined, readonly AlikeGroup[]> {
    const groups: AlikeGroup[] = [];
    for (const found of this.found.values()) {
      yield;
      for (const part of yield* this.stepSplit(found)) groups.push(yield* stepGroup(part, this.tree));
    }
    return yield* stepSorted(groups, (a, b) => a.members[0]! - b.members[0]!);
  }

  private *stepSplit(found: Found): Generator<undefined, readonly Found[]> {
    const splitting = found.paths.flatMap((path, index) => (this.splitting.has(path) ? [found.values[index]!] : []));
    if (splitting.length === 0) return [found];
    const parts = new Map<string, number[]>();
    for (let place = 0; place < found.members.length; place++) {
      if (place % STEP === 0) yield;
      const key = splitting.map((values) => textOf(values[place])).join(' ');
      const part = parts.get(key);
      if (part !== undefined) part.push(place);
      else if (parts.size === MAX_SPLITS) return [found];
      else parts.set(key, [place]);
    }
    if (parts.size === 1) return [found];
    const split: Found[] = [];
    for (const places of parts.values()) {
      const values: unknown[][] = [];
      for (const ofPath of found.values) {
        yield;
        values.push(places.map((place) => ofPath[place]));
      }
      split.push({ ...found, members: places.map((place) => found.members[place]!), values });
    }
    return split;
  }
}

/**
 * Splits the members of a group by a key. The columns' values are in the order of the parts. Yields after each `STEP` members and
 * each column.
 */
export function* stepParts(
  { members, columns }: Pick<AlikeGroup, 'members' | 'columns'>,
  keyOf: (member: number, place: number) => string | number,
): Generator<undefined, { readonly parts: readonly (readonly number[])[]; readonly columns: readonly AlikeColumn[] }> {
  const parts = new Map<string | number, number[]>();
  for (const [place, member] of members.entries()) {
    if (place % STEP === 0) yield;
    const key = keyOf(member, place);
    const part = parts.get(key);
    if (part === undefined) parts.set(key, [place]);
    else part.push(place);
  }
  const order = [...parts.values()].flat();
  const ordered: AlikeColumn[] = [];
  for (const { name, values } of columns) {
    yield;
    ordered.push({ name, values: order.map((place) => values[place]) });
  }
  return { parts: [...parts.values()], columns: ordered };
}

function addPath(tree: Branch, [name = '', ...rest]: readonly string[]): void {
  if (rest.length === 0) {
    tree.set(name, 'varying');
    return;
  }
  const known = tree.get(name);
  const branch: Branch = known instanceof Map ? known : new Map<string, Path>();
  tree.set(name, branch);
  addPath(branch, rest);
}

/** A text that is equal for values that differ only in varying ones, which are appended to `values`. */
function keyOf(value: unknown, path: Path | undefined, values: unknown[]): string {
  if (path === 'varying') {
    values.push(value);
    return '?';
  }
  if (typeof value !== 'object' || value === null || isTime(value)) return textOf(value);
  const branch = path as Branch | undefined;
  let key = Array.isArray(value) ? '[' : '{';
  for (const name of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[name];
    const below = pathBelow(branch, value, name);
    if (below === 'omitted' || member === undefined) continue;
    key += `${name}:${keyOf(member, below, values)},`;
  }
  return `${key}]`;
}

/** The paths of the varying values, in the order in which `keyOf` appends them. */
function pathsOf(value: unknown, path: Path | undefined, at = ''): readonly string[] {
  if (path === 'varying') return [at];
  if (!(path instanceof Map) || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : pathsOf(member, pathBelow(path, value, name), at === '' ? name : `${at}.${name}`),
  );
}

const pathBelow = (branch: Branch | undefined, parent: object, name: string): Path | undefined =>
  branch?.get(Array.isArray(parent) ? '*' : name);

const isTime = (value: object): value is Date => value instanceof Date;

/** A text that is different for different values, whatever they contain. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return `${value.length}"${value}`;
  if (typeof value === 'object' && value !== null) {
    return isTime(value) ? `@${value.getTime()}` : keyOf(value, undefined, []);
  }
  return `${typeof value}${String(value)}`;
}

function* stepGroup({ first, members, paths, values }: Found, tree: Branch): Generator<undefined, AlikeGroup> {
  const columns: AlikeColumn[] = [];
  const common = new Map<string, unknown>();
  for (const [index, name] of paths.entries()) {
    const ofPath = values[index]!;
    if (yield* stepIsOne(ofPath)) common.set(name, ofPath[0]);
    else columns.push({ name, values: ofPath });
  }
  return { members, shared: without(first, tree, common, '') as AlikeGroup['shared'], columns };
}

/** Whether all values are equal. */
function* stepIsOne(values: readonly unknown[]): Generator<undefined, boolean> {
  const text = textOf(values[0]);
  for (let place = 1; place < values.length; place++) {
    if (place % STEP === 0) yield;
    if (values[place] !== values[0] && textOf(values[place]) !== text) return false;
  }
  return true;
}

/** A copy without the members that identify the item, and with null for each varying value that is not shared. */
function without(value: unknown, path: Path | undefined, common: ReadonlyMap<string, unknown>, at: string): unknown {
  if (path === 'varying') return common.get(at) ?? null;
  if (!(path instanceof Map) || typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const below = pathBelow(path, value, name);
    if (below === 'omitted') return [];
    return [[name, without(member, below, common, at === '' ? name : `${at}.${name}`)]];
  });
  return Array.isArray(value) ? entries.map(([, member]) => member) : Object.fromEntries(entries);
}
