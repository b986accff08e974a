import type { readStanding } from '../../contract/expectations/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { expectationsIn } from '../../core/expectations/read-expectations.js';
import { ExpectationStore } from '../../storage/expectation-store.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { ExpectationEvaluator } from './expectation-evaluator.js';
import { checkResponse, turnResponse } from './expectation-response.js';
import { valuesInExpectations, valuesInTurn } from './values-in-turn.js';

/** Evaluates the stored expectations of a cluster on a revision or scenario. */
export class ReadStanding {
  constructor(
    private readonly readState: ReadState,
    private readonly evaluator: ExpectationEvaluator,
    private readonly store: ExpectationStore,
  ) {}

  /** @throws {ServiceError} as `ReadState` and `ExpectationEvaluator` */
  async run(
    { cluster, readAt }: RequestOf<typeof readStanding>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof readStanding>> {
    const { basis, state, revision } = await this.readState.run(cluster, readAt, context);
    const expectations = expectationsIn(state);
    const isHead = readAt.revision === undefined && readAt.at === undefined && readAt.scenario === undefined;
    const isWhole = readAt.intents === undefined || readAt.intents === 'include';
    const findings =
      isHead && isWhole
        ? await this.evaluator.ofHead(revision.clusterId, state, expectations, revision.capturedAt)
        : await this.evaluator.run(state, expectations, revision.capturedAt, context.signal);
    const turns = await this.store.latest(
      revision.clusterId,
      expectations.map(({ name }) => name),
    );
    context.withheld.addSource([turns.map(valuesInTurn), valuesInExpectations(expectations)]);
    return { basis, ...checkResponse(expectations, findings), turns: turns.map(turnResponse) };
  }
}
