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
  private readonly last = new Map<string, { tail: Promise<unknown>; waiting: number }>();

  /** @throws {ServiceError} `too-many-changes` when too many wait already */
  async run<Result>(cluster: string, work: () => Promise<Result>): Promise<Result> {
    const queue = this.last.get(cluster) ?? { tail: Promise.resolve(), waiting: 0 };
    if (queue.waiting >= MOST_WAITING) {
      throw new ServiceError('too-many-changes', `${MOST_WAITING} changes of cluster ${cluster} are waiting already.`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.last.set(cluster, queue);
    queue.waiting += 1;
    const turn = queue.tail.then(work);
    queue.tail = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) this.last.delete(cluster);
    }
  }
}
