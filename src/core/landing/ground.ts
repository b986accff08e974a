import { FEASIBLE, INFEASIBLE, NOT_KNOWN } from '../placement/placement.js';
import { bitsFor, setBit } from './node-bits.js';
import type { NodesNow, Tolerance } from './nodes-now.js';

/** Where labels, names, taints and cordons let pods go now, whatever room there is. */
export class Ground {
  /** The nodes that are not refused. */
  private readonly open: Uint32Array;
  /** The nodes that are not refused, and that a filter that is not built may refuse; absent where it may refuse none. */
  private readonly perhaps: Uint32Array | undefined;
  private seen = 0;

  constructor(
    /** By node: what the filters say whose answers do not change. */
    private readonly lasting: Uint8Array,
    private readonly tolerance: Tolerance,
    private readonly nodesNow: NodesNow,
  ) {
    this.open = bitsFor(lasting.length);
    if (lasting.includes(NOT_KNOWN)) this.perhaps = bitsFor(lasting.length);
    this.readAll();
  }

  admits(node: number): boolean {
    return this.lasting[node] !== INFEASIBLE && this.tolerance.admits(node);
  }

  /** Whether some filter that is not built may refuse the node. */
  isUnknown(node: number): boolean {
    return this.lasting[node] === NOT_KNOWN;
  }

  /** The nodes of now, by bit. Valid until a node changes. */
  nodes(): { readonly open: Uint32Array; readonly perhaps: Uint32Array | undefined } {
    const { changes } = this.nodesNow;
    if (changes.length - this.seen > this.lasting.length) this.readAll();
    else for (let at = this.seen; at < changes.length; at++) this.read(changes[at]!);
    this.seen = changes.length;
    return { open: this.open, perhaps: this.perhaps };
  }

  private readAll(): void {
    for (let node = 0; node < this.lasting.length; node++) this.read(node);
    this.seen = this.nodesNow.changes.length;
  }

  private read(node: number): void {
    const admits = this.tolerance.admits(node);
    setBit(this.open, node, admits && this.lasting[node] === FEASIBLE);
    if (this.perhaps !== undefined) setBit(this.perhaps, node, admits && this.lasting[node] === NOT_KNOWN);
  }
}
