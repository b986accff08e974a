import type { readDeltas } from '../../contract/deltas/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { FollowStore } from '../../storage/follow-store.js';
import { GetCluster } from '../clusters/get-cluster.js';
import type { RequestOf } from '../request-of.js';

/** Reads how far the deltas of a cluster have come. */
export class ReadDeltas {
  constructor(
    private readonly getCluster: GetCluster,
    private readonly follows: FollowStore,
  ) {}

  /** @throws {ServiceError} `cluster-not-found` */
  async run({ cluster }: RequestOf<typeof readDeltas>): Promise<AnswerTo<typeof readDeltas>> {
    const { id } = await this.getCluster.run(cluster);
    const { sequence, ...state } = await this.follows.deltaState(id);
    return { ...state, next: sequence + 1 };
  }
}
