import { FreestNodes } from './freest-nodes.js';
import { bitsFor, countCommon, eachCommon, hasBit, setBit } from './node-bits.js';
import type { PodShape } from './pod-shape.js';
import type { RoomLedger } from './room-ledger.js';

/** Shares are sorted roughly first: by thousandths and a little finer. */
const BUCKETS = 1024;
const NONE = -1;
/** Of fewer nodes than one in so many each is looked at; else they are met in the order of their shares. */
const FEW = 16;

/**
 * Which nodes have room for pods of one shape, and which of them the most, kept up as room is taken and freed: each change of a node
 * costs the same little, however many nodes there are.
 *
 * Nodes with room hang in a list for each bucket of shares; a list is in no order, so within a bucket shares are compared.
 */
export class RoomIndex {
  private readonly fitting: Uint32Array;
  private readonly shares: Float64Array;
  private readonly bucketOf: Int16Array;
  private readonly next: Int32Array;
  private readonly previous: Int32Array;
  private readonly heads = new Int32Array(BUCKETS + 1).fill(NONE);
  /** No bucket before it has a node. */
  private lowest = 0;
  private seen = 0;

  constructor(
    private readonly shape: PodShape,
    private readonly ledger: RoomLedger,
    private readonly nodes: number,
  ) {
    this.fitting = bitsFor(nodes);
    this.shares = new Float64Array(nodes);
    this.bucketOf = new Int16Array(nodes).fill(NONE);
    this.next = new Int32Array(nodes).fill(NONE);
    this.previous = new Int32Array(nodes).fill(NONE);
    this.readAll();
  }

  /** Takes in what changed. @returns about how many nodes were looked at */
  refresh(): number {
    const { changes } = this.ledger;
    const since = changes.length - this.seen;
    if (since > this.nodes) {
      this.readAll();
      return this.nodes;
    }
    for (let at = this.seen; at < changes.length; at++) this.read(changes[at]!);
    this.seen = changes.length;
    return since;
  }

  /** How many of the nodes have room. */
  count(among: Uint32Array): number {
    return countCommon(among, this.fitting);
  }

  /** The freest of the nodes with room, of which there are so many. */
  best(among: Uint32Array, count: number, most: number): readonly number[] {
    const found = new FreestNodes(Math.min(most, count));
    if (count === 0) return found.nodes;
    if (count * FEW < this.nodes) {
      eachCommon(among, this.fitting, (node) => {
        found.add(this.shares[node]!, node);
      });
      return found.nodes;
    }
    while (this.lowest < BUCKETS && this.heads[this.lowest] === NONE) this.lowest++;
    for (let bucket = this.lowest; bucket <= BUCKETS && !found.isFull; bucket++) {
      for (let node = this.heads[bucket]!; node !== NONE; node = this.next[node]!) {
        if (hasBit(among, node)) found.add(this.shares[node]!, node);
      }
    }
    return found.nodes;
  }

  private readAll(): void {
    for (let node = 0; node < this.nodes; node++) this.read(node);
    this.seen = this.ledger.changes.length;
  }

  private read(node: number): void {
    const fits = this.shape.fits(node);
    const before = this.bucketOf[node]!;
    let bucket = NONE;
    if (fits) {
      const share = this.shape.share(node);
      this.shares[node] = share;
      bucket = share >= 1 ? BUCKETS : share > 0 ? Math.floor(share * BUCKETS) : 0;
    }
    if (bucket === before) return;
    if (before !== NONE) this.unlink(node, before);
    if (bucket !== NONE) this.link(node, bucket);
    if (before === NONE || bucket === NONE) setBit(this.fitting, node, fits);
  }

  private link(node: number, bucket: number): void {
    const first = this.heads[bucket]!;
    this.next[node] = first;
    this.previous[node] = NONE;
    if (first !== NONE) this.previous[first] = node;
    this.heads[bucket] = node;
    this.bucketOf[node] = bucket;
    if (bucket < this.lowest) this.lowest = bucket;
  }

  private unlink(node: number, bucket: number): void {
    const before = this.previous[node]!;
    const after = this.next[node]!;
    if (before === NONE) this.heads[bucket] = after;
    else this.next[before] = after;
    if (after !== NONE) this.previous[after] = before;
    this.bucketOf[node] = NONE;
  }
}
