import type { askGate } from '../../contract/gates/questions.js';
import { checkConfirmable, DryRuns } from '../connections/dry-runs.js';
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
    private readonly recorder: Pick<DecisionRecorder, 'record'>,
    private readonly dryRuns: Pick<DryRuns, 'run'>,
  ) {}

  /** @throws {ServiceError} as `gateQuestion` and `answer` */
  async run(request: RequestOf<typeof askGate>, context: RequestContext): Promise<GateAnswer> {
    const { cluster, readAt, root, record, confirm } = request;
    if (confirm !== undefined) checkConfirmable(readAt, root);
    return this.answer(await gateQuestion(request, root, context), { cluster, readAt, record, confirm }, context);
  }

  /** @throws {ServiceError} as `ReadState.run`, `GateAnswerer.answer` and `DecisionRecorder.record` */
  async answer(
    given: GateQuestion,
    {
      cluster,
      readAt,
      record = true,
      confirm,
    }: {
      readonly cluster: string;
      readonly readAt: ReadAt;
      readonly record?: boolean | undefined;
      readonly confirm?: 'dryRun' | undefined;
    },
    context: RequestContext,
  ): Promise<GateAnswer> {
    const reading = await this.readState.run(cluster, readAt, context);
    const question = confirm === undefined ? given : await this.confirmed(given, cluster, context);
    const found = await this.answerer.answerTo(question, reading, context);
    const decision = record
      ? await this.recorder.record({ type: 'gate', question, reading, readAt, answer: found }, context)
      : null;
    return { ...found.answer, decision };
  }

  /** The question with what the API server answers to each workload and a pod of it, so that it is on the record with it. */
  private async confirmed(question: GateQuestion, cluster: string, context: RequestContext): Promise<GateQuestion> {
    const { objects, fieldValidation } = question;
    const brought = new Set(objects.flatMap(({ object: { kind, name } }) => (kind === 'Namespace' ? [name] : [])));
    const manifests = objects.map(({ object: { apiVersion, kind, value, name, namespace = 'default' } }) => {
      return { apiVersion, kind, value, name, namespace, bringsNamespace: brought.has(namespace) };
    });
    const runs = await this.dryRuns.run(cluster, manifests, fieldValidation, context);
    const dryRuns = runs.flatMap((tried, index) => (tried === undefined ? [] : [{ index, tried }]));
    return { ...question, dryRuns };
  }
}
