import { ServiceError } from '../errors/service-error.js';

/** Writers of one cluster that may wait for their turn. */
const MOST_WAITING = 1_000;
const RETRY_AFTER_SECONDS = 2;

/**
 * Lets the writers of one cluster in one after another, first come first served: each works out its change on what the one
 * before has left, instead of finding at the end that the head has moved. Writers in other replicas are met by the
 * lock of the cluster's row.
 */
export class ChangeQueue {
  private readonly last = new Map<string, { tail: Promise<void>; waiting: number }>();

  /**
   * Waits until those before have left; whoever was let in calls what it got, once, to leave.
   * @throws {ServiceError} `too-many-changes` when too many wait already
   */
  async enter(cluster: string): Promise<() => void> {
    const queue = this.last.get(cluster) ?? { tail: Promise.resolve(), waiting: 0 };
    if (queue.waiting >= MOST_WAITING) {
      throw new ServiceError('too-many-changes', `${MOST_WAITING} changes of cluster ${cluster} are waiting already.`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.last.set(cluster, queue);
    queue.waiting += 1;
    const before = queue.tail;
    let letNextIn = (): void => undefined;
    queue.tail = new Promise((resolve) => {
      letNextIn = resolve;
    });
    await before;
    return () => {
      queue.waiting -= 1;
      if (queue.waiting === 0) this.last.delete(cluster);
      letNextIn();
    };
  }
}
