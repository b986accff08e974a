import type { ClusterState } from '../cluster/cluster-state.js';
import type { Placement } from './placement.js';
import { SUCCESS } from './plugin.js';

type Key = number | string | undefined;

/** Nodes in parts; the same lists each time for the same state and list of nodes. */
export interface TaintParts {
  /** The part of each node, by its place in the list. */
  readonly ids: Uint32Array;
  readonly parts: readonly (readonly number[])[];
}

/** Keys of nodes that pass a filter, and of parts of which no node was seen. Those of reasons are not negative. */
const PASSES = -1;
const UNSEEN = -2;

const known = new WeakMap<ClusterState, WeakMap<readonly number[], TaintParts>>();

/** Splits nodes by one key after the other; each node has the number of its part. */
export class NodePartition {
  private ids: Uint32Array;
  private count: number;

  private constructor(
    private readonly nodes: readonly number[],
    /** What the nodes were split into before; parts that were not split further are its lists. */
    private readonly former: TaintParts,
  ) {
    this.ids = former.ids;
    this.count = former.parts.length;
  }

  /** Nodes in one part. */
  static of(nodes: readonly number[]): NodePartition {
    return new NodePartition(nodes, { ids: new Uint32Array(nodes.length), parts: nodes.length === 0 ? [] : [nodes] });
  }

  /** Nodes by their taint sets, and by whether they are cordoned. */
  static byTaints(state: ClusterState, nodes: readonly number[]): NodePartition {
    return new NodePartition(nodes, NodePartition.taintParts(state, nodes));
  }

  static taintParts(state: ClusterState, nodes: readonly number[]): TaintParts {
    let ofState = known.get(state);
    if (ofState === undefined) known.set(state, (ofState = new WeakMap()));
    let former = ofState.get(nodes);
    if (former === undefined) {
      const { taintSetIds, unschedulable } = state.nodes;
      const split = NodePartition.of(nodes);
      split.by((node) => taintSetIds[node]! * 2 + unschedulable[node]!);
      ofState.set(nodes, (former = { ids: split.ids, parts: split.parts() }));
    }
    return former;
  }

  by(keyOf: (node: number) => Key): void {
    const { nodes } = this;
    const before = this.count;
    const seen = new Uint8Array(before);
    // Most parts stay whole: a part keeps its number for its first key, and only other keys are looked up.
    const firstKeys: Key[] = new Array<Key>(before);
    const others = new Map<number, Map<Key, number>>();
    let { ids } = this;
    for (let index = 0; index < nodes.length; index++) {
      const part = ids[index]!;
      const key = keyOf(nodes[index]!);
      if (firstKeys[part] === key && seen[part] === 1) continue;
      if (seen[part] === 0) {
        seen[part] = 1;
        firstKeys[part] = key;
        continue;
      }
      if (ids === this.former.ids) this.ids = ids = ids.slice();
      let ofPart = others.get(part);
      if (ofPart === undefined) others.set(part, (ofPart = new Map<Key, number>()));
      let number = ofPart.get(key);
      if (number === undefined) ofPart.set(key, (number = this.count++));
      ids[index] = number;
    }
  }

  /**
   * Splits nodes by the statuses of a filter, and those that do not pass by its reasons: as `by`, without a call for each
   * node that passes, and without lookups where a part has two keys at most.
   */
  byReasons(statuses: Uint8Array, reasonKey: (node: number) => number): void {
    const { nodes } = this;
    const before = this.count;
    const firstKeys = new Float64Array(before).fill(UNSEEN);
    const secondKeys = new Float64Array(before).fill(UNSEEN);
    const secondIds = new Uint32Array(before);
    const others = new Map<number, Map<number, number>>();
    let { ids } = this;
    for (let index = 0; index < nodes.length; index++) {
      const node = nodes[index]!;
      const part = ids[index]!;
      const status = statuses[node]!;
      const key = status === SUCCESS ? PASSES : reasonKey(node) * 8 + status;
      const first = firstKeys[part]!;
      if (key === first) continue;
      if (first === UNSEEN) {
        firstKeys[part] = key;
        continue;
      }
      if (ids === this.former.ids) this.ids = ids = ids.slice();
      const second = secondKeys[part]!;
      if (key === second) {
        ids[index] = secondIds[part]!;
      } else if (second === UNSEEN) {
        secondKeys[part] = key;
        ids[index] = secondIds[part] = this.count++;
      } else {
        let ofPart = others.get(part);
        if (ofPart === undefined) others.set(part, (ofPart = new Map<number, number>()));
        let number = ofPart.get(key);
        if (number === undefined) ofPart.set(key, (number = this.count++));
        ids[index] = number;
      }
    }
  }

  get size(): number {
    return this.count;
  }

  parts(): readonly (readonly number[])[] {
    const { nodes, ids, count, former } = this;
    if (ids === former.ids) return former.parts;
    const sizes = new Uint32Array(count);
    for (let index = 0; index < ids.length; index++) sizes[ids[index]!]! += 1;
    const filled = new Uint32Array(count);
    const parts = Array.from(sizes, (size, part): readonly number[] =>
      former.parts[part]?.length === size ? former.parts[part] : new Array<number>(size),
    );
    for (let index = 0; index < ids.length; index++) {
      const part = ids[index]!;
      const list = parts[part]!;
      if (list !== former.parts[part]) (list as number[])[filled[part]!++] = nodes[index]!;
    }
    return parts;
  }
}

/** Nodes by a key; undefined where some node has none, or where that makes more than `most` parts. */
export function partsBy(
  nodes: readonly number[],
  keyOf: ((node: number) => Key) | undefined,
  most: number,
): readonly (readonly number[])[] | undefined {
  let key = keyOf?.(nodes[0]!);
  if (keyOf === undefined || key === undefined) return undefined;
  let part: number[] = [];
  const byKey = new Map<Key, number[]>([[key, part]]);
  for (const node of nodes) {
    const own = keyOf(node);
    // Neighbours mostly have the same key.
    if (own !== key) {
      const known = byKey.get(own);
      if (known === undefined && (own === undefined || byKey.size === most)) return undefined;
      part = known ?? [];
      if (known === undefined) byKey.set(own, part);
      key = own;
    }
    part.push(node);
  }
  // The very list keeps what is known of it.
  return byKey.size === 1 ? [nodes] : [...byKey.values()];
}

/**
 * Nodes in parts of which every filter says the same, amounts and values of labels aside: with the same taints, and with the
 * same status and `commonReasonKey` of each filter.
 */
export function partsByReasons(placement: Placement, nodes: readonly number[]): readonly (readonly number[])[] {
  const partition = NodePartition.byTaints(placement.state, nodes);
  if (placement.preFilterNodes !== undefined) partition.by((node) => (placement.isExcluded(node) ? 1 : 0));
  for (const { statuses, filter, passesAll } of placement.plugins) {
    if (filter === undefined || statuses === undefined || passesAll === true || filter.byTaints === true) continue;
    partition.byReasons(statuses, filter.commonReasonKey);
  }
  return partition.parts();
}
