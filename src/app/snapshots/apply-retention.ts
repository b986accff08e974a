import { defined } from '../../core/collections/defined.js';
import { Retention, type RetentionLimits, type RetentionReport } from '../../storage/retention.js';
import { GetCluster } from '../clusters/get-cluster.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';

export interface ApplyRetentionRequest {
  readonly cluster: string;
  /** Keep at most so many, the newest; at least 1. */
  readonly keepRevisions?: number;
  /** Remove what was received longer ago than this, in seconds; the head always stays. */
  readonly maxAgeSeconds?: number;
  /** Only tell what would be removed. */
  readonly dryRun: boolean;
}

export type RetentionResult = Omit<RetentionReport, 'oldestRevision'> & {
  /** The oldest revision that is left; null where there is none. */
  readonly oldestRevision: number | null;
  readonly dryRun: boolean;
};

/** Removes old revisions of one cluster, and says what went. */
export class ApplyRetention {
  constructor(
    private readonly getCluster: GetCluster,
    private readonly retention: Retention,
  ) {}

  /** @throws {ServiceError} `cluster-not-found`; `invalid-request` where no limit is given */
  async run(request: ApplyRetentionRequest, now: Date): Promise<RetentionResult> {
    const { keepRevisions, maxAgeSeconds, dryRun } = request;
    if (keepRevisions === undefined && maxAgeSeconds === undefined) {
      const message = 'give keepRevisions or maxAge, or both: nothing says what is old';
      throw new InvalidRequestError([{ pointer: '', code: 'required', message }]);
    }
    const { id, name } = await this.getCluster.run(request.cluster);
    const report = await this.retention.prune(id, retentionLimits(now, keepRevisions, maxAgeSeconds), dryRun);
    const nothing = { clusterId: id, clusterName: name, revisions: 0, objectVersions: 0, oldestRevision: null };
    return { ...(report ?? nothing), dryRun };
  }
}

export function retentionLimits(now: Date, keepRevisions?: number, maxAgeSeconds?: number): RetentionLimits {
  return {
    ...defined({ count: keepRevisions }),
    ...(maxAgeSeconds === undefined ? {} : { receivedBefore: new Date(now.getTime() - maxAgeSeconds * 1000) }),
  };
}
