import type { NodeGroups } from './node-groups.js';

/** The nodes that a spec can ever use, whatever becomes of their taints and of the pods on them. */
export class Candidates {
  /** Ascending. */
  readonly nodes: Int32Array;
  private readonly grouped = new WeakMap<NodeGroups, readonly Int32Array[]>();

  /** @param passes by node: 1 for a candidate */
  constructor(passes: Uint8Array) {
    const nodes = new Int32Array(passes.length);
    let count = 0;
    for (let node = 0; node < passes.length; node++) if (passes[node] === 1) nodes[count++] = node;
    this.nodes = nodes.slice(0, count);
  }

  /** By group: its candidates, ascending. */
  in(groups: NodeGroups): readonly Int32Array[] {
    let known = this.grouped.get(groups);
    if (known === undefined) this.grouped.set(groups, (known = this.divide(groups)));
    return known;
  }

  private divide({ groupOf, members }: NodeGroups): readonly Int32Array[] {
    const sizes = new Int32Array(members.length);
    for (const node of this.nodes) sizes[groupOf[node]!]!++;
    const parts = Array.from(sizes, (size) => new Int32Array(size));
    sizes.fill(0);
    for (const node of this.nodes) {
      const group = groupOf[node]!;
      parts[group]![sizes[group]!++] = node;
    }
    return parts;
  }
}
