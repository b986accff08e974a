/**
 * The nodes of a zone that wait for their NoExecute taint. A node is taken up once until it is removed: one whose turn has come is
 * not in line any more, but still known, and is not taken up again.
 *
 * First come, first served; nodes that come together go in the order of their numbers. The controller's own order is none that anybody
 * could know: each pass puts every waiting node in line again, in the order in which its workers get to them.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go, `UniqueQueue`.
 */
export class ZoneQueue {
  private readonly known = new Set<number>();
  /** The nodes in line, by when they came (ms). */
  private readonly line = new Map<number, number>();

  get length(): number {
    return this.line.size;
  }

  /** The nodes in line, in no particular order, each with the moment since when. */
  waiting(): Iterable<readonly [node: number, since: number]> {
    return this.line;
  }

  isWaiting(node: number): boolean {
    return this.line.has(node);
  }

  /** Puts a node in line; false where it is known already. */
  add(node: number, at: number): boolean {
    if (this.known.has(node)) return false;
    this.known.add(node);
    this.line.set(node, at);
    return true;
  }

  /** A node that has had its turn: known, and not in line. */
  markDone(node: number): void {
    this.known.add(node);
    this.line.delete(node);
  }

  /** Forgets a node. */
  remove(node: number): boolean {
    this.line.delete(node);
    return this.known.delete(node);
  }
}
