import type { ClusterState } from '../cluster/cluster-state.js';
import type { PodRequest } from '../cluster/pod-request.js';
import { addInt64, int64, subInt64 } from '../cluster/resource-table.js';
import type { Int64 } from '../kubernetes/objects/meta.js';
import type { PodResourceVector } from '../resources/request-vector.js';

/** What a pod holds of its node, by resource. */
export type Entries = PodRequest['entries'];

/**
 * One resource over all nodes: what is allocatable, and what is free of it now. `free[node]` is exact where it is a number; where it
 * is NaN the value leaves the safe range of a double, and `freeOf` gives it.
 */
export class RoomColumn {
  readonly free: Float64Array;
  /** Rounded where a double cannot hold it: to compare shares by, not to decide. */
  readonly allocatable: Float64Array;
  private readonly used: Int64[];
  private readonly room: Int64[];
  /** Whether any value of the column ever left the safe range. */
  hasBeyond = false;

  constructor(resource: string, { nodes }: ClusterState) {
    this.free = new Float64Array(nodes.count);
    this.allocatable = new Float64Array(nodes.count);
    this.used = Array.from({ length: nodes.count }, (_, node) => nodes.requested.at(resource, node));
    this.room = Array.from({ length: nodes.count }, (_, node) => nodes.allocatable.at(resource, node));
    for (let node = 0; node < nodes.count; node++) {
      this.allocatable[node] = Number(this.room[node]);
      this.write(node);
    }
  }

  usedOf(node: number): Int64 {
    return this.used[node]!;
  }

  freeOf(node: number): Int64 {
    const free = this.free[node]!;
    return Number.isNaN(free) ? subInt64(this.room[node]!, this.used[node]!) : free;
  }

  add(node: number, amount: Int64): void {
    this.used[node] = addInt64(this.used[node]!, amount);
    this.write(node);
  }

  subtract(node: number, amount: Int64): void {
    this.used[node] = subInt64(this.used[node]!, amount);
    this.write(node);
  }

  private write(node: number): void {
    const free = subInt64(this.room[node]!, this.used[node]!);
    this.free[node] = typeof free === 'number' ? free : Number.NaN;
    if (typeof free !== 'number') this.hasBeyond = true;
  }
}

/** What the pods on each node hold, while pods leave and others land: the sums that NodeResourcesFit asks for. */
export class RoomLedger {
  /** Every node that changed, in order, as often as it did. */
  readonly changes: number[] = [];
  /** The nodes that changed since somebody last cleared them. */
  readonly changedInMoment = new Set<number>();
  readonly changedForState = new Set<number>();
  private readonly columns = new Map<string, RoomColumn>();
  private readonly entriesOf = new Map<PodResourceVector, Entries>();

  constructor(private readonly state: ClusterState) {
    for (const resource of ['cpu', 'memory', 'pods', ...state.nodes.requested.names]) this.column(resource);
  }

  column(resource: string): RoomColumn {
    let column = this.columns.get(resource);
    if (column === undefined) this.columns.set(resource, (column = new RoomColumn(resource, this.state)));
    return column;
  }

  take(node: number, entries: Entries): void {
    for (const [resource, amount] of entries) this.column(resource).add(node, amount);
    this.touch(node);
  }

  /** A stored pod leaves its node. */
  release(node: number, pod: number): void {
    for (const [resource, amount] of this.held(pod)) this.column(resource).subtract(node, amount);
    this.touch(node);
  }

  touch(node: number): void {
    this.changes.push(node);
    this.changedInMoment.add(node);
    this.changedForState.add(node);
  }

  /** The node's sums, as a row of a resource table. */
  usedRow(node: number): Map<string, Int64> {
    return new Map([...this.columns].map(([resource, column]) => [resource, column.usedOf(node)]));
  }

  private held(pod: number): Entries {
    const vector = this.state.pods.requests(pod);
    let entries = this.entriesOf.get(vector);
    if (entries === undefined) {
      entries = [
        ['cpu', int64(vector.milliCPU)],
        ['memory', int64(vector.memory)],
        ['ephemeral-storage', int64(vector.ephemeralStorage)],
        ['pods', 1],
        ...[...vector.scalars].map(([name, amount]) => [name, int64(amount)] as const),
      ];
      entries = entries.filter(([, amount]) => amount !== 0);
      this.entriesOf.set(vector, entries);
    }
    return entries;
  }
}
