import type { checkExpectations } from '../../contract/expectations/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { ExpectationEvaluator } from './expectation-evaluator.js';
import { checkResponse } from './expectation-response.js';
import { givenExpectations } from './given-expectations.js';

/** Evaluates a file of expectations on a revision or scenario of a cluster. */
export class CheckExpectations {
  constructor(
    private readonly readState: ReadState,
    private readonly evaluator: ExpectationEvaluator,
  ) {}

  /** @throws {ServiceError} as `givenExpectations`, `ReadState` and `ExpectationEvaluator` */
  async run(
    { cluster, readAt, file, root }: RequestOf<typeof checkExpectations>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof checkExpectations>> {
    const { expectations } = givenExpectations(file, root);
    const { basis, state, revision } = await this.readState.run(cluster, readAt, context);
    const findings = await this.evaluator.run(state, expectations, revision.capturedAt, context.signal);
    return { basis, ...checkResponse(expectations, findings) };
  }
}
