import { ServiceError } from '../errors/service-error.js';

/** Maximum number of waiting writers for a cluster. */
const MAX_WAITING = 1_000;
const RETRY_AFTER_SECONDS = 2;

/**
 * Serializes the writers of a cluster, first come, first served: each computes its change on the head that the previous
 * one created, instead of failing at the end because the head has moved. Writers in other replicas are serialized by
 * the lock on the cluster's row.
 */
export class ChangeQueue {
  private readonly last = new Map<string, { tail: Promise<void>; waiting: number }>();

  /**
   * Waits for the writer's turn; returns a function that it must call once when it is done.
   * @throws {ServiceError} `too-many-changes` if too many writers are waiting
   */
  async enter(cluster: string): Promise<() => void> {
    const queue = this.last.get(cluster) ?? { tail: Promise.resolve(), waiting: 0 };
    if (queue.waiting >= MAX_WAITING) {
      throw new ServiceError(
        'too-many-changes',
        `${MAX_WAITING} changes of cluster ${cluster} are already waiting; retry later.`,
        {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        },
      );
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
