import type { MemberType, ObjectType } from '../../src/contract/schema.js';

/** The differences between a value and a type of the contract, by path: undeclared members and missing ones. */
export function undeclared(type: MemberType, value: unknown, place = ''): readonly string[] {
  if (typeof type === 'function') return undeclared(type(), value, place);
  if (typeof type === 'string') {
    const expected = { string: 'string', identifier: 'string', boolean: 'boolean', integer: 'number' }[type as string];
    return expected === undefined || typeof value === expected ? [] : [`${place} is no ${type}`];
  }
  if (type.kind === 'json') return [];
  if (type.kind === 'enum') return type.values.includes(value as string) ? [] : [`${place} is not a ${type.name}`];
  if (typeof value !== 'object' || value === null) return [`${place} is no object`];
  if (type.kind === 'object') return ofObject(type, value, place);
  const told = (value as Readonly<Record<string, unknown>>)[type.discriminator];
  const form = type.variants.findIndex(({ values }) => values.includes(told as string));
  return form < 0 ? [`${place} has no form`] : ofObject(type.objects[form]!, value, place);
}

function ofObject({ members }: ObjectType, value: object, place: string): readonly string[] {
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(members, name));
  return [
    ...unknown.map((name) => `${place}.${name} is not declared`),
    ...Object.entries(members).flatMap(([name, { type, list, optional, omittable }]) => {
      const at = `${place}.${name}`;
      const member = (value as Readonly<Record<string, unknown>>)[name];
      if (member === undefined) return omittable === true ? [] : [`${at} is missing`];
      if (member === null) return optional === true ? [] : [`${at} is null`];
      if (list !== true) return undeclared(type, member, at);
      if (!Array.isArray(member)) return [`${at} is no list`];
      return member.flatMap((item, index) => undeclared(type, item, `${at}[${index}]`));
    }),
  ];
}
