import { CaptureTimes, type CorrectedCaptureTimes } from '../../storage/capture-times.js';
import { GetCluster } from '../clusters/get-cluster.js';
import { HeadCache } from '../reads/head-cache.js';
import type { RequestContext } from '../request-context.js';

export interface CaptureTimesResult extends CorrectedCaptureTimes {
  readonly cluster: string;
}

/** Brings back revisions whose capture times lie in the future, after a clock was ahead. */
export class CorrectCaptureTimes {
  constructor(
    private readonly getCluster: GetCluster,
    private readonly times: CaptureTimes,
    private readonly heads: HeadCache,
  ) {}

  /** @throws {ServiceError} `cluster-not-found` */
  async run(cluster: string, reason: string, { now, caller }: RequestContext): Promise<CaptureTimesResult> {
    const { id, name } = await this.getCluster.run(cluster);
    const author = caller.kind === 'anonymous' ? null : caller.name;
    const corrected = await this.times.correct(id, { now, author, reason });
    this.heads.changed(id);
    return { cluster: name, ...corrected };
  }
}
