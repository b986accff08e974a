import type { AnswerTo } from '../../contract/question.js';
import type { takeTaintInventories } from '../../contract/taints/questions.js';
import { AcrossClusters } from '../across-clusters.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { TakeTaintInventory } from './take-taint-inventory.js';

/** Returns the taint inventory of each of several clusters. */
export class TakeTaintInventories {
  constructor(
    private readonly acrossClusters: AcrossClusters,
    private readonly takeTaintInventory: TakeTaintInventory,
  ) {}

  /** @throws {ServiceError} as `AcrossClusters.list` */
  async run(
    request: RequestOf<typeof takeTaintInventories>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof takeTaintInventories>> {
    const { takeTaintInventory } = this;
    return this.acrossClusters.list(
      request,
      ['taints'],
      {
        read: (each) => takeTaintInventory.read(each, context),
        ask: (each, kept) => takeTaintInventory.run(each, context, kept),
      },
      context,
    );
  }
}
