import type { Cluster } from '../../storage/cluster-store.js';
import type { RevisionStore } from '../../storage/revision-store.js';
import type { Revision } from '../../storage/revision.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';
import type { Head, HeadCache } from './head-cache.js';
import type { ReadAt } from './read-at.js';

/** The cluster and the revision that a request selects. */
export interface ResolvedRevision {
  readonly cluster: Cluster;
  readonly revision: Revision;
}

/**
 * Resolves a cluster name and a selection (`?revision=`, `?at=`, `?maxAge=`) to a revision. Resolving the head needs no
 * database round trip.
 */
export class ResolveRevision {
  constructor(
    private readonly heads: Pick<HeadCache, 'get'>,
    private readonly revisions: Pick<RevisionStore, 'get' | 'at'>,
  ) {}

  /**
   * @throws {ServiceError} `cluster-not-found`; `revision-not-found` (in the future, or removed); `no-snapshot` if the
   *   cluster has no revision at all, or none as old as `at`; `snapshot-too-old` beyond `maxAgeSeconds`
   * @throws {InvalidRequestError} both `revision` and `at` are given
   */
  async resolve(clusterName: string, readAt: ReadAt, now: Date): Promise<ResolvedRevision> {
    if (readAt.revision !== undefined && readAt.at !== undefined) {
      throw new InvalidRequestError([
        { field: 'at', code: 'conflicting-parameters', message: 'give either revision or at, not both' },
      ]);
    }
    const head = await this.heads.get(clusterName);
    if (head === undefined) {
      throw new ServiceError('cluster-not-found', `There is no cluster ${JSON.stringify(clusterName)}.`);
    }
    const { cluster } = head;
    const revision = await this.find(head, readAt);
    const age = ageSeconds(revision, now);
    if (readAt.maxAgeSeconds !== undefined && age > readAt.maxAgeSeconds) {
      throw new ServiceError(
        'snapshot-too-old',
        `Revision ${revision.number} of ${cluster.name} was captured at ${revision.capturedAt.toISOString()}, ${age} s ago; ` +
          `maxAge allows at most ${readAt.maxAgeSeconds} s. Take a new snapshot.`,
      );
    }
    return { cluster, revision };
  }

  private async find({ cluster, revision: head }: Head, readAt: ReadAt): Promise<Revision> {
    if (head === null) {
      throw new ServiceError('no-snapshot', `Cluster ${cluster.name} has no snapshot yet. Take a snapshot first.`);
    }
    if (readAt.revision !== undefined && readAt.revision !== head.number) {
      const revision = await this.revisions.get(cluster.id, readAt.revision);
      if (revision !== undefined) return revision;
      const why =
        readAt.revision > cluster.headRevision
          ? `is in the future: the head is revision ${cluster.headRevision}`
          : 'is not stored: retention removed it, or it never existed';
      throw new ServiceError('revision-not-found', `Revision ${readAt.revision} of ${cluster.name} ${why}.`);
    }
    if (readAt.at !== undefined) {
      const revision = await this.revisions.at(cluster.id, readAt.at);
      if (revision !== undefined) return revision;
      throw new ServiceError(
        'no-snapshot',
        `Cluster ${cluster.name} has no stored state as of ${readAt.at.toISOString()}.`,
      );
    }
    return head;
  }
}

/** Whole seconds since the state was captured; never negative. */
export function ageSeconds(revision: Revision, now: Date): number {
  return wholeSecondsBetween(revision.capturedAt, now);
}

export function wholeSecondsBetween(start: Date, end: Date): number {
  return Math.max(0, Math.floor((end.getTime() - start.getTime()) / 1000));
}
