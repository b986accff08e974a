import type { ErrorDetail } from '../../app/errors/service-error.js';
import { InvalidRequestError } from '../../app/errors/invalid-request-error.js';
import type { Member, MemberType, ObjectType } from '../../contract/schema.js';

/** The selected members of an object: a whole member, or a part of it. */
export type FieldSelection = ReadonlyMap<string, FieldSelection | 'all'>;

/**
 * Parses `fields`: dotted paths to members of an object.
 * @throws {InvalidRequestError} naming every path that does not exist
 */
export function readFields(type: ObjectType, paths: readonly string[]): FieldSelection {
  const faults = fieldFaults(type, paths);
  if (faults.length > 0) throw new InvalidRequestError(faults);
  return selectionOf(paths.map((path) => stepsOf(type, path.trim().split('.'))));
}

/** The errors in a request's paths, which may have any type. */
export function fieldFaults(type: ObjectType, paths: unknown): readonly ErrorDetail[] {
  if (!Array.isArray(paths)) return [];
  return paths.flatMap((given: unknown): ErrorDetail[] => {
    if (typeof given !== 'string') return [];
    const path = given.trim();
    const unknown = unknownMember(type, path.split('.'));
    if (unknown === undefined) return [];
    const place = unknown.at === '' ? '' : ` below ${unknown.at}`;
    const known = [...unknown.known].sort().join(', ');
    const message = `${JSON.stringify(path.slice(0, 200))} is not a member of the response; known members${place} are ${known}`;
    return [{ field: 'fields', code: 'unknown-field', message }];
  });
}

/** The selected members of a value; for a list, of each item. Absent members stay absent. */
export function pickFields(value: unknown, selection: FieldSelection | 'all'): unknown {
  if (selection === 'all' || typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((item) => pickFields(item, selection));
  const picked: Record<string, unknown> = {};
  for (const [name, below] of selection) {
    if (!Object.hasOwn(value, name)) continue;
    Object.defineProperty(picked, name, {
      value: pickFields((value as Record<string, unknown>)[name], below),
      enumerable: true,
    });
  }
  return picked;
}

/** Splits a path into steps. Label keys contain dots, so everything after a labels member is one key. */
function stepsOf(type: ObjectType, names: readonly string[]): readonly string[] {
  let members: MembersBelow = type.members;
  for (const [index, name] of names.entries()) {
    if (members === 'any') return names;
    if (members === 'labels') return [...names.slice(0, index), names.slice(index).join('.')];
    members = membersOf(members[name]!.type);
  }
  return names;
}

type MembersBelow = Readonly<Record<string, Member>> | 'labels' | 'any';

function membersOf(type: MemberType): MembersBelow {
  if (typeof type === 'function') return type().members;
  if (type === 'labels') return 'labels';
  if (type === 'json' || type === 'kubernetesObject') return 'any';
  if (typeof type === 'string' || type.kind === 'enum') return {};
  return type.kind === 'json' ? 'any' : type.members;
}

function unknownMember(
  type: ObjectType,
  names: readonly string[],
): { readonly at: string; readonly known: readonly string[] } | undefined {
  let members: MembersBelow = type.members;
  let at: string[] = [];
  for (const name of names) {
    if (members === 'any' || members === 'labels') return undefined;
    const known = Object.keys(members);
    if (!known.includes(name)) {
      // A member that has no members of its own is reported with its siblings.
      return known.length > 0
        ? { at: at.join('.'), known }
        : { at: at.slice(0, -1).join('.'), known: siblings(type, at.slice(0, -1)) };
    }
    members = membersOf(members[name]!.type);
    at = [...at, name];
  }
  return undefined;
}

function siblings(type: ObjectType, names: readonly string[]): readonly string[] {
  let { members } = type;
  for (const name of names) members = membersOf(members[name]!.type) as typeof members;
  return Object.keys(members);
}

function selectionOf(paths: readonly (readonly string[])[]): FieldSelection {
  const byName = new Map<string, (readonly string[])[]>();
  for (const [name = '', ...rest] of paths) byName.set(name, [...(byName.get(name) ?? []), rest]);
  return new Map(
    [...byName].map(([name, rests]) => [name, rests.some(({ length }) => length === 0) ? 'all' : selectionOf(rests)]),
  );
}
