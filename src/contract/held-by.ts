import type { Member, Members, MemberType, ObjectType, UnionType } from './schema.js';

/**
 * What a member of a response holds, as far as the values of taints matter:
 *
 * - `taintValue`: such a value, or several
 * - `patch`: JSON that a JSON Patch sets at the path beside it
 * - `column`: JSON that stands for other members of its group (`columnOf`)
 * - `json`: JSON of any form
 * - `text`: text that may quote such a value
 * - `object`: an object of the contract
 * - `nothing`: a name, an enum, a time, an id, labels, an amount or another number, never such a value
 */
export type Held = 'taintValue' | 'patch' | 'column' | 'json' | 'text' | 'object' | 'nothing';

/** The most to be masked first. */
const STRICTEST_FIRST: readonly Held[] = ['taintValue', 'patch', 'column', 'json', 'text', 'object', 'nothing'];

export function heldBy({ type, taintValue = false, columnOf }: Pick<Member, 'type' | 'taintValue' | 'columnOf'>): Held {
  if (columnOf !== undefined) return 'column';
  const held = heldByType(type);
  if (!taintValue) return held;
  return held === 'json' ? 'patch' : 'taintValue';
}

function heldByType(type: MemberType): Held {
  if (typeof type === 'function') return 'object';
  if (typeof type === 'object') {
    if (type.kind === 'enum') return 'nothing';
    return type.kind === 'json' ? 'json' : 'object';
  }
  switch (type) {
    case 'string':
      return 'text';
    case 'json':
    case 'kubernetesObject':
      return 'json';
    default:
      return 'nothing';
  }
}

/** What is held where a response may have one of several forms: the strictest of them; text if there is none. */
export function strictest(held: readonly Held[]): Held {
  return STRICTEST_FIRST.find((one) => held.includes(one)) ?? 'text';
}

/** The object types of a member; those of each form if it is a union. */
export function objectsOf(type: ObjectType | UnionType): readonly Pick<ObjectType, 'members'>[] {
  return type.kind === 'union' ? type.objects : [type];
}

/**
 * What is held at a path such as `taints.0.toleration`, in any form of the objects on the way. A path that no form has may hold any
 * text, and an object is JSON of any form.
 */
export function heldAt(from: readonly Pick<ObjectType, 'members'>[], path: string): Held {
  let objects = from;
  let held: readonly Held[] = [];
  for (const name of path.split('.').filter((step) => step !== '' && !/^\d+$/.test(step))) {
    const members = objects.flatMap((one) => memberOf(one.members, name) ?? []);
    held = members.map(heldBy);
    objects = members.flatMap(({ type }) => objectsBelow(type));
  }
  const found = strictest(held);
  return found === 'object' ? 'json' : found;
}

function memberOf(members: Members, name: string): Member | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function objectsBelow(type: MemberType): readonly Pick<ObjectType, 'members'>[] {
  if (typeof type === 'function') return objectsOf(type());
  if (typeof type !== 'object' || type.kind === 'enum' || type.kind === 'json') return [];
  return objectsOf(type);
}
