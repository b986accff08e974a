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
  /** Of the head: the time up to which it is known to be the newest state of the cluster. */
  readonly currentAt?: Date | null;
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
    const isHead = revision.number === head.revision?.number;
    const resolved = { cluster, revision, currentAt: isHead ? head.currentAt : null };
    const age = ageSeconds(resolved, now);
    if (readAt.maxAgeSeconds !== undefined && age > readAt.maxAgeSeconds) {
      throw new ServiceError(
        'snapshot-too-old',
        `Revision ${revision.number} of ${cluster.name} ${sayAge(resolved)}, ${age} s ago; ` +
          `maxAge allows at most ${readAt.maxAgeSeconds} s. Take a new snapshot; if the cluster is followed, see its connection.`,
      );
    }
    return resolved;
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

type Aged = Pick<ResolvedRevision, 'revision' | 'currentAt'>;

/** Whole seconds since the state was captured, or was last known to be the newest one; never negative. */
export function ageSeconds(aged: Aged, now: Date): number {
  return wholeSecondsBetween(currentSince(aged) ?? aged.revision.capturedAt, now);
}

/** The time up to which a state is known to be the newest one, if that is after its capture. */
const currentSince = ({ revision, currentAt = null }: Aged): Date | undefined =>
  currentAt !== null && currentAt > revision.capturedAt ? currentAt : undefined;

function sayAge(aged: Aged): string {
  const current = currentSince(aged);
  return current === undefined
    ? `was captured at ${aged.revision.capturedAt.toISOString()}`
    : `was last known to be current at ${current.toISOString()}`;
}

export function wholeSecondsBetween(start: Date, end: Date): number {
  return Math.max(0, Math.floor((end.getTime() - start.getTime()) / 1000));
}
