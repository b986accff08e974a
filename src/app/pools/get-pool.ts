import type { getPool } from '../../contract/pools/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { RequestOf } from '../request-of.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { knownPool } from './known-pool.js';
import { poolResponse } from './pool-response.js';

/** Reads a pool. */
export class GetPool {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} `object-not-found`, and as `ReadState.run` */
  async run(
    { cluster, name, readAt }: RequestOf<typeof getPool>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof getPool>> {
    const { state, basis } = await this.readState.run(cluster, readAt, context);
    return { basis, pool: poolResponse(state, knownPool(state, name, cluster)) };
  }
}
