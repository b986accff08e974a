import { isJsonObject } from '../../src/core/json/json-value.js';
/** The common form of a group in a response. */
export interface ShownGroup {
  readonly count: number;
  readonly columns: readonly { readonly name: string; readonly values: readonly unknown[] }[];
  readonly [member: string]: unknown;
}

interface ShownWorkload {
  readonly workload: { readonly namespace: string };
  readonly count: number;
  readonly pods: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
}

/** Each member of a group as an item of a list, without what identifies it. */
export function membersOf({ columns, ...group }: ShownGroup, length: number): object[] {
  const shared = Object.fromEntries(Object.entries(group).filter(([name]) => name !== 'count'));
  return Array.from({ length }, (_, place) => {
    const member = structuredClone(shared);
    for (const { name, values } of columns) set(member, name.split('.'), values[place]);
    return member;
  });
}

/** The pods of a group as items of a list. */
export function podsOfGroup({ workloads, ...group }: ShownGroup): object[] {
  const named = (workloads as readonly ShownWorkload[]).flatMap(({ workload, pods, values }) =>
    pods.map((name) => ({ pod: { namespace: workload.namespace, name, workload }, values })),
  );
  return membersOf(group, named.length).map((member, place) => {
    const { pod, values } = named[place]!;
    for (const [path, value] of Object.entries(values)) set(member as Record<string, unknown>, path.split('.'), value);
    return { ...pod, ...member };
  });
}

function set(members: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) members[name] = value;
  else set(members[name] as Record<string, unknown>, rest, value);
}

/** The items in a canonical order. */
export function inOneOrder(items: readonly object[]): unknown[] {
  return items.map((item) => JSON.stringify(item, sorted)).sort();
}

function sorted(_: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
