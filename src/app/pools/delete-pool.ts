import type { deletePool } from '../../contract/pools/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { RequestOf } from '../request-of.js';
import type { RequestContext } from '../request-context.js';
import { ChangeSetting } from '../settings/change-setting.js';
import { knownPool } from './known-pool.js';
import { poolResponse } from './pool-response.js';

/** Deletes a pool; its nodes keep their taints and labels. */
export class DeletePool {
  constructor(private readonly changeSetting: ChangeSetting) {}

  /** @throws {ServiceError} `object-not-found`, and as `ChangeSetting.run` */
  async run(request: RequestOf<typeof deletePool>, context: RequestContext): Promise<AnswerTo<typeof deletePool>> {
    const { cluster, name, dryRun = false } = request;
    const { basis, head } = await this.changeSetting.run(
      {
        ...request,
        dryRun,
        kind: 'Pool',
        content: ({ state }) => {
          knownPool(state, name, cluster);
          return null;
        },
      },
      context,
    );
    return { basis, dryRun, pool: poolResponse(head.state, knownPool(head.state, name, cluster)) };
  }
}
