import type { getDecision } from '../../contract/decisions/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { DecisionStore } from '../../storage/decisions/decision-store.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { DecisionOutcome } from './decision-outcome.js';
import { presentDecision, visibleDecision } from './present-decision.js';

/** Reads a decision beside what the cluster then did. */
export class GetDecision {
  constructor(
    private readonly store: DecisionStore,
    private readonly outcome: DecisionOutcome,
  ) {}

  /** @throws {ServiceError} `decision-not-found`, `forbidden` */
  async run({ id }: RequestOf<typeof getDecision>, context: RequestContext): Promise<AnswerTo<typeof getDecision>> {
    const found = await visibleDecision(this.store, id, 'read', context);
    return { ...presentDecision(found, context), ...(await this.outcome.of(found, context)) };
  }
}
