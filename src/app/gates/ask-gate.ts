import type { askGate } from '../../contract/gates/questions.js';
import { DecisionRecorder } from '../decisions/decision-recorder.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { GateAnswerer } from './gate-answerer.js';
import type { GateAnswer } from './gate-names.js';
import { gateQuestion, type GateQuestion } from './gate-question.js';

/** Whether manifests may be deployed to a cluster, and will run. */
export class AskGate {
  constructor(
    private readonly readState: ReadState,
    private readonly answerer: GateAnswerer,
    private readonly recorder: DecisionRecorder,
  ) {}

  /** @throws {ServiceError} as `gateQuestion` and `answer` */
  async run(request: RequestOf<typeof askGate>, context: RequestContext): Promise<GateAnswer> {
    const { cluster, readAt, root, record } = request;
    return this.answer(await gateQuestion(request, root, context), { cluster, readAt, record }, context);
  }

  /** @throws {ServiceError} as `ReadState.run`, `GateAnswerer.answer` and `DecisionRecorder.record` */
  async answer(
    question: GateQuestion,
    {
      cluster,
      readAt,
      record = true,
    }: { readonly cluster: string; readonly readAt: ReadAt; readonly record?: boolean | undefined },
    context: RequestContext,
  ): Promise<GateAnswer> {
    const reading = await this.readState.run(cluster, readAt, context);
    const found = await this.answerer.answerTo(question, reading, context);
    const decision = record
      ? await this.recorder.record({ type: 'gate', question, reading, readAt, answer: found }, context)
      : null;
    return { ...found.answer, decision };
  }
}
