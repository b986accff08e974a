/** More groups are not worth it, because each decision visits every group. */
const MAX_GROUPS = 64;

/** Groups of nodes that are equal for topology spread, as long as they have none of the pods that it counts by node. */
export interface NodeGroups {
  /** By node. */
  readonly groupOf: Int32Array;
  /** By node: its position in `members` of its group. */
  readonly placeOf: Int32Array;
  /** By group: the nodes, ascending. */
  readonly members: readonly Int32Array[];
}

/** How a label distinguishes nodes: by its value, or only by whether they have it. */
export interface GroupingColumn {
  /** By node: the id of the value, -1 if absent; undefined if no node has the label. */
  readonly ids: Int32Array | undefined;
  readonly byValue: boolean;
}

/** @returns undefined if there are more than MAX_GROUPS groups */
export function nodeGroups(hasKeys: Uint8Array, columns: readonly GroupingColumn[]): NodeGroups | undefined {
  const groupOf = Int32Array.from(hasKeys);
  // Each column splits the groups further; their order is that of their first nodes.
  let count = split(groupOf, (_node, group) => group);
  for (const { ids, byValue } of columns) {
    if (count === undefined) return undefined;
    const most = count;
    const part = (node: number): number => (byValue ? (ids?.[node] ?? -1) : Number((ids?.[node] ?? -1) >= 0));
    count = split(groupOf, (node, group) => (part(node) + 1) * most + group);
  }
  if (count === undefined) return undefined;
  const sizes = new Int32Array(count);
  const placeOf = groupOf.map((group) => sizes[group]!++);
  const members = Array.from(sizes, (size) => new Int32Array(size));
  for (let node = 0; node < groupOf.length; node++) members[groupOf[node]!]![placeOf[node]!] = node;
  return { groupOf, placeOf, members };
}

/** Numbers the groups anew, by a key that their nodes share. @returns their number, undefined if there are too many */
function split(groupOf: Int32Array, keyOf: (node: number, group: number) => number): number | undefined {
  const groups = new Map<number, number>();
  for (let node = 0; node < groupOf.length; node++) {
    const key = keyOf(node, groupOf[node]!);
    let group = groups.get(key);
    if (group === undefined) {
      if (groups.size === MAX_GROUPS) return undefined;
      groups.set(key, (group = groups.size));
    }
    groupOf[node] = group;
  }
  return groups.size;
}
