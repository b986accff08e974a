import type { testGuardrails } from '../../contract/guardrails/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { guardrailsIn } from '../../core/guardrails/read-guardrails.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { givenIn, runTests } from './given-guardrails.js';

/** Runs the tests of a document of guardrails, or of the stored one. */
export class TestGuardrails {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} as `givenIn` and `ReadState` */
  async run(
    { cluster, readAt, document, root }: RequestOf<typeof testGuardrails>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof testGuardrails>> {
    const given = givenIn(document, root);
    const { basis, state } = await this.readState.run(cluster, readAt, context);
    const { guardrails } = given ?? guardrailsIn(state);
    const results = await runTests(guardrails, context.signal);
    const failed = results.filter(({ passed }) => !passed).length;
    const untested = guardrails.filter(({ tests = [] }) => tests.length === 0).map(({ name }) => name);
    return { basis, passed: failed === 0, failed, untested, results };
  }
}
