import { INFEASIBLE, NOT_KNOWN } from '../placement/placement.js';
import type { NodesNow, Tolerance } from './nodes-now.js';

/** Where labels, names, taints and cordons let pods go now, whatever room there is. */
export class Ground {
  private nodes: Uint16Array | Int32Array | undefined;
  private version = -1;

  constructor(
    /** By node: what the filters say whose answers do not change. */
    private readonly lasting: Uint8Array,
    private readonly tolerance: Tolerance,
    private readonly nodesNow: NodesNow,
  ) {}

  /** Counts changes. */
  get changes(): number {
    return this.nodesNow.version;
  }

  admits(node: number): boolean {
    return this.lasting[node] !== INFEASIBLE && this.tolerance.admits(node);
  }

  /** Whether some filter that is not built may refuse the node. */
  isUnknown(node: number): boolean {
    return this.lasting[node] === NOT_KNOWN;
  }

  /** The nodes that are not refused, by index. */
  admitted(): Uint16Array | Int32Array {
    if (this.nodes !== undefined && this.version === this.nodesNow.version) return this.nodes;
    const { length } = this.lasting;
    const found = length <= 65_536 ? new Uint16Array(length) : new Int32Array(length);
    let count = 0;
    for (let node = 0; node < found.length; node++) if (this.admits(node)) found[count++] = node;
    this.nodes = found.slice(0, count);
    this.version = this.nodesNow.version;
    return this.nodes;
  }
}
