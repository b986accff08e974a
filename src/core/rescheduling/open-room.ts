import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { int64 } from '../cluster/resource-table.js';
import type { Room } from './rescheduling.js';
import { Tolerance, type NodesNow } from '../scheduling/run/nodes-now.js';
import type { RoomLedger } from './room-ledger.js';

/** Free resources on the nodes that are open to a pod without tolerations; an overcommitted node counts as full. */
export class OpenRoom {
  private readonly tolerance: Tolerance;
  private readonly sums: readonly OpenSum[];

  constructor(
    private readonly nodes: NodesNow,
    private readonly ledger: RoomLedger,
  ) {
    this.tolerance = new Tolerance([], nodes, DEFAULT_GATES);
    this.sums = ['cpu', 'memory'].map((resource) => new OpenSum(ledger, resource, nodes.count));
    for (let node = 0; node < nodes.count; node++) this.count(node);
    ledger.changedInMoment.clear();
  }

  /** Counts the nodes that changed since the last call. */
  now(): Room {
    for (const node of this.ledger.changedInMoment) this.count(node);
    this.ledger.changedInMoment.clear();
    const [cpu, memory] = this.sums;
    return { milliCPU: int64(cpu!.sum), memory: int64(memory!.sum) };
  }

  private count(node: number): void {
    const isOpen = this.tolerance.admits(node);
    for (const sum of this.sums) sum.count(node, isOpen);
  }
}

class OpenSum {
  sum = 0n;
  private readonly counted: bigint[];

  constructor(
    private readonly ledger: RoomLedger,
    private readonly resource: string,
    nodes: number,
  ) {
    this.counted = Array.from({ length: nodes }, () => 0n);
  }

  count(node: number, isOpen: boolean): void {
    const free = isOpen ? this.ledger.freeOf(this.resource, node) : 0;
    const counts = free > 0 ? BigInt(free) : 0n;
    this.sum += counts - this.counted[node]!;
    this.counted[node] = counts;
  }
}
