import { NOTHING } from '../../core/collections/nothing.js';
import type { ObjectType } from '../../contract/schema.js';
import type { Origin } from '../graphql/read-connection.js';

type Mark = (value: object, origin: Origin) => object;

const marks = new Map<ObjectType, Mark | undefined>();

/**
 * Adds the origin (cluster and revision) to objects that have a global id, at any depth of a response. REST has it in
 * the path, so the contract does not repeat it.
 */
export function withOrigins(type: ObjectType, value: object, origin: Origin): object {
  return markOf(type)?.(value, origin) ?? value;
}

/** Undefined for a type without such objects. */
function markOf(type: ObjectType): Mark | undefined {
  if (marks.has(type)) return marks.get(type);
  // Set before the recursion, since a type may contain itself.
  marks.set(type, undefined);
  const members = Object.entries(type.members).flatMap(([name, { type: member }]) => {
    const object = typeof member === 'function' ? member() : member;
    const mark = typeof object === 'object' && object.kind === 'object' ? markOf(object) : undefined;
    return mark === undefined ? [] : [[name, mark] as const];
  });
  const made: Mark = (value, origin) => {
    const copy: Record<string, unknown> = { ...value };
    for (const [name, mark] of members) {
      const member = copy[name];
      if (Array.isArray(member)) copy[name] = member.map((one) => mark(one as object, origin));
      else if (typeof member === 'object' && member !== null) copy[name] = mark(member, origin);
    }
    return type.hasGlobalId === true ? { ...NOTHING, ...copy, origin } : copy;
  };
  const mark = type.hasGlobalId === true || members.length > 0 ? made : undefined;
  marks.set(type, mark);
  return mark;
}
