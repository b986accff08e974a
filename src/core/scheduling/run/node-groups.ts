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
  const groups = new Map<string, number[]>();
  const groupOf = new Int32Array(hasKeys.length);
  const placeOf = new Int32Array(hasKeys.length);
  const members: number[][] = [];
  for (let node = 0; node < hasKeys.length; node++) {
    const values = columns.map(({ ids, byValue }) =>
      byValue ? (ids?.[node] ?? -1) : Number((ids?.[node] ?? -1) >= 0),
    );
    const key = `${hasKeys[node]!} ${values.join(' ')}`;
    let group = groups.get(key);
    if (group === undefined) {
      if (groups.size === MAX_GROUPS) return undefined;
      groups.set(key, (group = []));
      members.push(group);
    }
    groupOf[node] = members.indexOf(group);
    placeOf[node] = group.length;
    group.push(node);
  }
  return { groupOf, placeOf, members: members.map((group) => Int32Array.from(group)) };
}
