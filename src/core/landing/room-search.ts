import type { Int64 } from '../kubernetes/objects/meta.js';
import type { Ground } from './ground.js';
import type { ClassDemand } from './pod-classes.js';
import type { RoomColumn, RoomLedger } from './room-ledger.js';

/** How many feasible nodes an answer names. */
export const NAMED = 5;
/** How many of the freest nodes a search remembers, so that pods that land one after the other need no search each. */
const REMEMBERED = 24;

/**
 * Finds the nodes with room for the pods of a class, those with the most room left first: where the larger of the shares of cpu and
 * memory that would then be taken is the smallest; by name where shares are equal.
 *
 * One look at every node serves as long as nobody else takes or frees room: after each landing only the node that was taken is
 * looked at again. What is remembered are the best nodes, up to a bound that every other node is beyond.
 */
export class RoomSearch {
  feasible = 0;
  unknown = 0;
  private readonly shares = new Float64Array(REMEMBERED + 1);
  private readonly bestNodes = new Int32Array(REMEMBERED + 1);
  private size = 0;
  private boundShare = 0;
  private boundNode = 0;
  private ledgerVersion = -1;
  private groundVersion = -1;
  private readonly cpu: RoomColumn;
  private readonly memory: RoomColumn;
  private readonly cpuRequest: number;
  private readonly memoryRequest: number;

  constructor(
    private readonly ground: Ground,
    private readonly demands: readonly ClassDemand[],
    private readonly ledger: RoomLedger,
    private readonly nodes: number,
  ) {
    this.cpu = ledger.column('cpu');
    this.memory = ledger.column('memory');
    const requestOf = (column: RoomColumn): number =>
      Number(demands.find((one) => one.column === column)?.request ?? 0);
    this.cpuRequest = requestOf(this.cpu);
    this.memoryRequest = requestOf(this.memory);
  }

  /** Whether the node has room for one more pod of the class (NodeResourcesFit), to the last unit. */
  fits(node: number): boolean {
    const pods = this.ledger.column('pods');
    return hasRoom(pods, 1, node) && this.demands.every(({ column, request }) => hasRoom(column, request, node));
  }

  /** Makes the counts and the best nodes those of now. @returns how many nodes were looked at */
  refresh(): number {
    if (this.ledgerVersion === this.ledger.version && this.groundVersion === this.ground.changes) {
      if (this.size >= Math.min(NAMED, this.feasible)) return 0;
    }
    return this.search();
  }

  /** The freest nodes, best first; valid after `refresh`. */
  best(): readonly number[] {
    return Array.from(this.bestNodes.subarray(0, Math.min(this.size, NAMED)));
  }

  /** A pod of the class took room on the best node, and nothing else changed. */
  tookBest(): void {
    const node = this.bestNodes[0]!;
    this.shares.copyWithin(0, 1, this.size);
    this.bestNodes.copyWithin(0, 1, this.size);
    this.size--;
    this.ledgerVersion = this.ledger.version;
    if (!this.fits(node)) {
      this.feasible--;
      return;
    }
    const share = this.share(node);
    // Beyond the bound its place among the nodes that are not remembered is not known.
    if (share < this.boundShare || (share === this.boundShare && node < this.boundNode)) this.insert(share, node);
  }

  /** The larger of the shares of cpu and memory that would be taken with one more pod. */
  share(node: number): number {
    const cpu = share(this.cpu, this.cpuRequest, node);
    const memory = share(this.memory, this.memoryRequest, node);
    return cpu > memory ? cpu : memory;
  }

  private search(): number {
    const { ground, demands } = this;
    const admitted = ground.admitted();
    const pods = this.ledger.column('pods');
    const podsFree = pods.free;
    this.feasible = 0;
    this.unknown = 0;
    this.size = 0;
    for (let at = 0; at < admitted.length; at++) {
      const node = admitted[at]!;
      // Where the value is NaN the comparison fails, and the exact values decide.
      if (!(podsFree[node]! >= 1) && !hasRoom(pods, 1, node)) continue;
      let fits = true;
      for (let index = 0; index < demands.length; index++) {
        const { request, column } = demands[index]!;
        if (request <= column.free[node]! || hasRoom(column, request, node)) continue;
        fits = false;
        break;
      }
      if (!fits) continue;
      if (ground.isUnknown(node)) {
        this.unknown++;
        continue;
      }
      this.feasible++;
      const taken = this.share(node);
      if (this.size === REMEMBERED && taken >= this.shares[REMEMBERED - 1]!) continue;
      this.insert(taken, node);
    }
    const isComplete = this.size === this.feasible;
    this.boundShare = isComplete ? Number.POSITIVE_INFINITY : this.shares[this.size - 1]!;
    this.boundNode = isComplete ? this.nodes : this.bestNodes[this.size - 1]!;
    this.ledgerVersion = this.ledger.version;
    this.groundVersion = ground.changes;
    return admitted.length;
  }

  /** By share, then by node; a full list loses its last. */
  private insert(taken: number, node: number): void {
    const { shares, bestNodes } = this;
    let at = this.size;
    while (at > 0 && (shares[at - 1]! > taken || (shares[at - 1]! === taken && bestNodes[at - 1]! > node))) {
      shares[at] = shares[at - 1]!;
      bestNodes[at] = bestNodes[at - 1]!;
      at--;
    }
    shares[at] = taken;
    bestNodes[at] = node;
    if (this.size < REMEMBERED) this.size++;
  }
}

/** `request <= allocatable - used`, in 64 bits. */
function hasRoom(column: RoomColumn, request: Int64, node: number): boolean {
  return request <= column.freeOf(node);
}

function share(column: RoomColumn, request: number, node: number): number {
  const all = column.allocatable[node]!;
  if (!(all > 0)) return 1;
  const free = column.free[node]!;
  return (all - (Number.isNaN(free) ? Number(column.freeOf(node)) : free) + request) / all;
}
