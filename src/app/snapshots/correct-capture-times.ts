import type { AnswerTo } from '../../contract/question.js';
import type { correctCaptureTimes } from '../../contract/snapshots/questions.js';
import { CaptureTimes } from '../../storage/capture-times.js';
import { GetCluster } from '../clusters/get-cluster.js';
import { HeadCache } from '../reads/head-cache.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';

/** Corrects revisions with capture times in the future, which a wrong clock caused. */
export class CorrectCaptureTimes {
  constructor(
    private readonly getCluster: GetCluster,
    private readonly times: CaptureTimes,
    private readonly heads: HeadCache,
  ) {}

  /** @throws {ServiceError} `cluster-not-found` */
  async run(
    { cluster, reason }: RequestOf<typeof correctCaptureTimes>,
    { now, caller }: RequestContext,
  ): Promise<AnswerTo<typeof correctCaptureTimes>> {
    const { id, name } = await this.getCluster.run(cluster);
    const author = caller.kind === 'anonymous' ? null : caller.name;
    const corrected = await this.times.correct(id, { now, author, reason });
    this.heads.changed(id);
    return { cluster: name, ...corrected };
  }
}
