import { defined } from '../../core/collections/defined.js';
import type { AnswerTo } from '../../contract/question.js';
import type { applyRetention } from '../../contract/snapshots/questions.js';
import { Retention, type RetentionLimits } from '../../storage/retention.js';
import { GetCluster } from '../clusters/get-cluster.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { readDuration } from '../read-duration.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';

/** Removes old revisions of a cluster and reports what was removed. */
export class ApplyRetention {
  constructor(
    private readonly getCluster: GetCluster,
    private readonly retention: Retention,
  ) {}

  /** @throws {ServiceError} `cluster-not-found`; `invalid-request` if no limit is given */
  async run(
    { cluster, keepRevisions, maxAge, dryRun = false }: RequestOf<typeof applyRetention>,
    { now }: RequestContext,
  ): Promise<AnswerTo<typeof applyRetention>> {
    const maxAgeSeconds = maxAge === undefined ? undefined : readDuration(maxAge, 'maxAge');
    if (keepRevisions === undefined && maxAgeSeconds === undefined) {
      const message = 'give keepRevisions, maxAge, or both';
      throw new InvalidRequestError([{ pointer: '', code: 'required', message }]);
    }
    const { id, name } = await this.getCluster.run(cluster);
    const report = await this.retention.prune(id, retentionLimits(now, keepRevisions, maxAgeSeconds), dryRun);
    const { revisions, objectVersions, oldestRevision } = report ?? NOTHING;
    return { cluster: name, dryRun, revisions, objectVersions, oldestRevision };
  }
}

const NOTHING = { revisions: 0, objectVersions: 0, oldestRevision: null };

export function retentionLimits(now: Date, keepRevisions?: number, maxAgeSeconds?: number): RetentionLimits {
  return {
    ...defined({ count: keepRevisions }),
    ...(maxAgeSeconds === undefined ? {} : { receivedBefore: new Date(now.getTime() - maxAgeSeconds * 1000) }),
  };
}
