import { Database } from './database.js';

/** Which revisions stay. A revision goes when either limit says so; the head always stays. */
export interface RetentionLimits {
  /** Keep at most so many, the newest (at least 1). */
  readonly count?: number;
  /** Remove what was received before this moment. */
  readonly receivedBefore?: Date;
}

/** What retention removed from one cluster. */
export interface RetentionReport {
  readonly clusterId: number;
  readonly clusterName: string;
  readonly revisions: number;
  readonly objectVersions: number;
  /** The oldest revision that is left. */
  readonly oldestRevision: number;
}

/** Removes old revisions and the object versions that no revision left shows. */
export class Retention {
  constructor(private readonly database: Database) {}

  /** One cluster; undefined when it has no revision. */
  prune(_clusterId: number, _limits: RetentionLimits): Promise<RetentionReport | undefined> {
    throw new Error('not built yet');
  }

  /** Every cluster, each in a transaction of its own; reports those that lost something. */
  pruneAll(_limits: RetentionLimits): Promise<readonly RetentionReport[]> {
    throw new Error('not built yet');
  }
}
