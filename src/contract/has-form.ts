import type { Member, MemberType, Members, ObjectType, Response, UnionType } from './schema.js';
import { isJsonObject } from '../core/json/json-value.js';

/** Whether a value has the form of a response: its members have their types; members that the type lacks are left aside. */
export function hasForm<Type extends ObjectType | UnionType>(type: Type, value: unknown): value is Response<Type> {
  if (!isJsonObject(value)) return false;
  if (type.kind === 'object') return hasMembers(type.members, value);
  const form = type.variants.findIndex(({ values }) => values.includes(value[type.discriminator] as string));
  return form >= 0 && hasMembers(type.objects[form]!.members, value);
}

function hasMembers(members: Members, value: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(members).every(([name, member]) => isMember(member, value[name]));
}

function isMember({ type, list, optional, omittable }: Member, value: unknown): boolean {
  if (value === undefined) return omittable === true;
  if (value === null) return optional === true;
  return list === true ? Array.isArray(value) && value.every((one) => isOfType(type, one)) : isOfType(type, value);
}

function isOfType(type: MemberType, value: unknown): boolean {
  if (typeof type === 'function') return hasForm(type(), value);
  if (typeof type === 'object') {
    if (type.kind === 'enum') return type.values.includes(value as string);
    return type.kind === 'json' || hasForm(type, value);
  }
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number';
    case 'int64':
      return typeof value === 'bigint' || Number.isInteger(value);
    case 'labels':
      return isJsonObject(value) && Object.values(value).every((one) => typeof one === 'string');
    case 'kubernetesObject':
      return isJsonObject(value);
    case 'json':
      return true;
    case 'quantity':
      return typeof value === 'string' || typeof value === 'number';
    case 'time':
      return typeof value === 'string' || value instanceof Date;
    case 'id':
    case 'string':
    case 'identifier':
      return typeof value === 'string';
  }
}
