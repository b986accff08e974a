import type { Int64 } from '../kubernetes/objects/meta.js';
import type { RoomColumn, RoomLedger } from './room-ledger.js';

/** One resource that pods ask for. */
export interface Demand {
  readonly request: Int64;
  readonly column: RoomColumn;
}

/** What pods request, and which nodes have that much room. */
export class PodShape {
  private readonly pods: RoomColumn;
  private readonly cpu: RoomColumn;
  private readonly memory: RoomColumn;
  /** Rounded where they must be: for shares. */
  private readonly cpuRequest: number;
  private readonly memoryRequest: number;

  constructor(
    private readonly demands: readonly Demand[],
    ledger: RoomLedger,
  ) {
    this.pods = ledger.column('pods');
    this.cpu = ledger.column('cpu');
    this.memory = ledger.column('memory');
    const requestOf = (column: RoomColumn): number =>
      Number(demands.find((one) => one.column === column)?.request ?? 0);
    this.cpuRequest = requestOf(this.cpu);
    this.memoryRequest = requestOf(this.memory);
  }

  /**
   * Whether the node has room for one more pod, to the last unit: one more pod, and `request <= allocatable - used` of each resource
   * that is asked for.
   *
   * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/noderesources/fit.go, `fitsRequest`.
   */
  fits(node: number): boolean {
    if (!hasRoom(this.pods, 1, node)) return false;
    for (let index = 0; index < this.demands.length; index++) {
      const { column, request } = this.demands[index]!;
      if (!hasRoom(column, request, node)) return false;
    }
    return true;
  }

  /** The larger of the shares of cpu and memory that would be taken with one more pod. */
  share(node: number): number {
    const cpu = share(this.cpu, this.cpuRequest, node);
    const memory = share(this.memory, this.memoryRequest, node);
    return cpu > memory ? cpu : memory;
  }
}

function hasRoom(column: RoomColumn, request: Int64, node: number): boolean {
  // Where the double is NaN the comparison fails, and the exact value decides.
  return request <= column.free[node]! || (column.hasBeyond && request <= column.freeOf(node));
}

function share(column: RoomColumn, request: number, node: number): number {
  const all = column.allocatable[node]!;
  if (!(all > 0)) return 1;
  const free = column.free[node]!;
  return (all - (Number.isNaN(free) ? Number(column.freeOf(node)) : free) + request) / all;
}
