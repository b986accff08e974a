/**
 * The nodes of a zone that wait for their NoExecute taint. A node is added once until it is removed: after its turn it
 * is no longer queued, but still known, and is not added again.
 *
 * First come, first served; nodes that come together are served by number. The controller's own order is unpredictable:
 * each pass adds every waiting node again, in the order in which its workers process them.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go, `UniqueQueue`.
 */
export class ZoneQueue {
  private readonly known = new Set<number>();
  /** The queued nodes, by arrival time (ms). */
  private readonly line = new Map<number, number>();

  get length(): number {
    return this.line.size;
  }

  /** The queued nodes with their arrival times, in no particular order. */
  waiting(): Iterable<readonly [node: number, since: number]> {
    return this.line;
  }

  isWaiting(node: number): boolean {
    return this.line.has(node);
  }

  /** Adds a node to the queue; false if it is already known. */
  add(node: number, at: number): boolean {
    if (this.known.has(node)) return false;
    this.known.add(node);
    this.line.set(node, at);
    return true;
  }

  /** Records a node that has had its turn: known, but not queued. */
  markDone(node: number): void {
    this.known.add(node);
    this.line.delete(node);
  }

  /** Removes a node. */
  remove(node: number): boolean {
    this.line.delete(node);
    return this.known.delete(node);
  }
}
