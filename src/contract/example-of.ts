import type { Member, MemberType, ObjectType, UnionType } from './schema.js';

const PLAIN = {
  id: '1f0c1c5e-6a58-4f0e-9c39-5d5e3a8c1a11',
  string: 'text',
  identifier: 'text',
  boolean: true,
  integer: 1,
  number: 1,
  int64: 1,
  time: '2026-05-04T03:02:01.000Z',
  quantity: '1',
  labels: { app: 'web' },
  kubernetesObject: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } },
  json: {},
};

/** An example of a response, composed of the examples of its members; optional members without an example are null. */
export function exampleOf(type: ObjectType | UnionType): object {
  if (type.kind === 'union') return exampleOf(type.objects[0]!);
  return Object.fromEntries(
    Object.entries(type.members).flatMap(([name, member]) =>
      member.omittable === true && member.example === undefined ? [] : [[name, exampleOfMember(member)]],
    ),
  );
}

function exampleOfMember({ type, list, optional, example }: Member): unknown {
  if (example !== undefined) return example;
  if (optional === true) return null;
  const one = exampleOfType(type);
  return list === true ? [one] : one;
}

function exampleOfType(type: MemberType): unknown {
  if (typeof type === 'string') return PLAIN[type];
  // A recursive object: one level is enough.
  if (typeof type === 'function') return {};
  if (type.kind === 'enum') return type.values[0];
  return type.kind === 'json' ? {} : exampleOf(type);
}
