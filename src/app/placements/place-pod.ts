import { TimeSlices } from '../states/time-slices.js';
import type { placePod } from '../../contract/placements/questions.js';
import { DecisionRecorder } from '../decisions/decision-recorder.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { EvaluatePlacement } from './evaluate-placement.js';
import { KeptAnswers, type AnswerWithoutBasis } from './kept-answers.js';
import type { JsonParts } from './json-parts.js';
import { placementDecision, recordedQuestion } from './placement-decision.js';
import { checkQuestion } from './placement-request.js';
import { pageOfOptions, renderPlacement, type PlacementResponse } from './render-placement.js';

type Request = Omit<RequestOf<typeof placePod>, 'root' | 'scenario'>;

/** Evaluates where a pod can be scheduled in a cluster, with a page of groups or nodes. */
export class PlacePod {
  constructor(
    private readonly evaluatePlacement: EvaluatePlacement,
    private readonly readState: ReadState,
    private readonly recorder: Pick<DecisionRecorder, 'record'>,
    private readonly kept: KeptAnswers,
  ) {}

  /** @throws {ServiceError} as `EvaluatePlacement.run`, `renderPlacement` and `DecisionRecorder.record` */
  async run(request: Request, context: RequestContext): Promise<PlacementResponse> {
    if (request.record === true) return this.recorded(request, context);
    const result = await this.evaluatePlacement.run(request, context, pageOfOptions(request));
    return renderPlacement(result, request, context);
  }

  /**
   * The same for a caller who sees all of the answer: the JSON of one that is cached, or that is from now on.
   * @param write the JSON of an answer, as an object
   * @throws {ServiceError} as `run`
   */
  async runOrKept(
    request: Request,
    context: RequestContext,
    write: (answer: AnswerWithoutBasis) => JsonParts,
  ): Promise<PlacementResponse | Buffer> {
    if (request.record === true) return this.recorded(request, context);
    const asked = await this.evaluatePlacement.read(request, context, pageOfOptions(request));
    const { bytes, keep } = this.kept.placeOf(request, asked, write);
    if (bytes !== undefined) return bytes;
    const slices = new TimeSlices({ asker: context });
    const { hash, reading } = asked;
    const result = await this.evaluatePlacement.evaluateInSlices(request, reading, slices, hash, keep !== undefined);
    const response = await renderPlacement(result, request, context);
    return keep === undefined ? response : keep(response, result.evaluated);
  }

  private async recorded(request: Request, context: RequestContext): Promise<PlacementResponse> {
    checkQuestion(request);
    if (request.continue !== undefined) {
      const message = 'record the first page: further pages are parts of the same answer';
      throw new InvalidRequestError([{ pointer: '/continue', field: 'continue', code: 'conflicting-fields', message }]);
    }
    const { cluster, readAt } = request;
    const reading = await this.readState.run(cluster, readAt, context);
    const slices = new TimeSlices({ asker: context });
    const result = await this.evaluatePlacement.evaluateInSlices(request, reading, slices);
    const response = await renderPlacement(result, request, context);
    const answer = placementDecision(result, response);
    const question = recordedQuestion(request);
    const decision = await this.recorder.record({ type: 'placement', question, reading, readAt, answer }, context);
    return { ...response, decision };
  }
}
