/** The total of an infeasible node; less than any real total. */
export const CLOSED = -1;

/**
 * The totals of nodes, with constant-time access to the greatest one; an update takes logarithmic time.
 *
 * A complete binary tree in an array: each entry has the greatest total below it, and the number of nodes that have it.
 */
export class ScoreTree {
  private readonly leaves: number;
  private readonly greatest: Float64Array;
  private readonly ties: Uint16Array | Int32Array;
  /** The number of feasible nodes. */
  feasible = 0;

  constructor(private readonly count: number) {
    this.leaves = 2 ** Math.ceil(Math.log2(Math.max(count, 1)));
    this.greatest = new Float64Array(2 * this.leaves).fill(CLOSED);
    this.ties = this.leaves < 2 ** 16 ? new Uint16Array(2 * this.leaves) : new Int32Array(2 * this.leaves);
  }

  /** The greatest total; CLOSED if no node is feasible. */
  get best(): number {
    return this.greatest[1]!;
  }

  /** The number of nodes with the greatest total. */
  get tied(): number {
    return this.ties[1]!;
  }

  at(node: number): number {
    return this.greatest[this.leaves + node]!;
  }

  set(node: number, total: number): void {
    let place = this.leaves + node;
    const before = this.greatest[place]!;
    if (before === total) return;
    this.feasible += (total === CLOSED ? 0 : 1) - (before === CLOSED ? 0 : 1);
    this.greatest[place] = total;
    this.ties[place] = total === CLOSED ? 0 : 1;
    for (place >>= 1; place > 0; place >>= 1) this.join(place);
  }

  /** Sets all totals. */
  fill(totalOf: (node: number) => number): void {
    const { leaves, greatest, ties, count } = this;
    this.feasible = 0;
    for (let node = 0; node < count; node++) {
      const total = totalOf(node);
      greatest[leaves + node] = total;
      ties[leaves + node] = total === CLOSED ? 0 : 1;
      if (total !== CLOSED) this.feasible++;
    }
    for (let place = leaves - 1; place > 0; place--) this.join(place);
  }

  /** The node at a rank among those with the greatest total, in order of index. */
  bestNode(rank: number): number {
    const { leaves, greatest, ties } = this;
    const best = greatest[1]!;
    let place = 1;
    let left = rank;
    while (place < leaves) {
      place *= 2;
      const here = greatest[place] === best ? ties[place]! : 0;
      if (left < here) continue;
      left -= here;
      place++;
    }
    return place - leaves;
  }

  private join(place: number): void {
    const { greatest, ties } = this;
    const left = greatest[2 * place]!;
    const right = greatest[2 * place + 1]!;
    greatest[place] = left > right ? left : right;
    ties[place] = (left >= right ? ties[2 * place]! : 0) + (right >= left ? ties[2 * place + 1]! : 0);
  }
}
