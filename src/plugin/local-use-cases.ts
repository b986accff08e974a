import type { RequestContext } from '../app/request-context.js';
import type { RequestOf } from '../app/request-of.js';
import type * as gates from '../contract/gates/questions.js';
import type * as placements from '../contract/placements/questions.js';
import type { AnswerTo, Question } from '../contract/question.js';
import type * as scheduling from '../contract/scheduling/questions.js';
import type { LocalParts } from './local-answers.js';

interface UseCase<Of extends Question> {
  run(request: RequestOf<Of>, context: RequestContext): Promise<AnswerTo<Of>>;
}

/** Makes a use case; loads its code first. */
type Maker<Of extends Question> = (parts: LocalParts) => Promise<UseCase<Of>>;

type AnyMaker = (parts: LocalParts) => Promise<{ run(request: never, context: RequestContext): Promise<unknown> }>;

/** Nothing is recorded without a service. */
const NO_RECORD = { record: (): never => unavailable('decisions are recorded by a service only: use --server') };
const NO_DRY_RUNS = { run: (): never => unavailable('confirm needs a service: use --server') };
const NO_METRICS = { observeEvaluation: (): void => undefined };

function unavailable(why: string): never {
  throw new Error(why);
}

/**
 * The use case of each question that can be answered without a service. They are made here, and not by the lists of `src/wiring`: those
 * name the stores of Postgres, and load every use case at once.
 */
const MAKERS = [
  maker<typeof placements.placePod>('placements.place', async ({ readState }) => {
    const [{ PlacePod }, { EvaluatePlacement }, { EvaluatedPlacements }] = await Promise.all([
      import('../app/placements/place-pod.js'),
      import('../app/placements/evaluate-placement.js'),
      import('../app/placements/evaluated-placement.js'),
    ]);
    return new PlacePod(new EvaluatePlacement(readState, new EvaluatedPlacements(), NO_METRICS), readState, NO_RECORD);
  }),
  maker<typeof gates.askGate>('gates.ask', async ({ readState }) => {
    const [{ AskGate }, { GateAnswerer }] = await Promise.all([
      import('../app/gates/ask-gate.js'),
      import('../app/gates/gate-answerer.js'),
    ]);
    return new AskGate(readState, new GateAnswerer(), NO_RECORD, NO_DRY_RUNS);
  }),
  maker<typeof scheduling.explainPreemption>('preemptions.preemption', async ({ readState }) => {
    const { ExplainPreemption } = await import('../app/preemption/explain-preemption.js');
    return new ExplainPreemption(readState);
  }),
];

function maker<Of extends Question>(id: Of['id'], make: Maker<Of>): readonly [string, AnyMaker] {
  return [id, make];
}

const BY_ID = new Map(MAKERS);

/** The use case that answers a question. */
export async function useCaseFor(
  question: Question,
  parts: LocalParts,
): Promise<(request: object, context: RequestContext) => Promise<unknown>> {
  const make = BY_ID.get(question.id);
  if (make === undefined) throw new Error(`no use case answers ${question.id} here`);
  const useCase = await make(parts);
  return (request, context) => useCase.run(request as never, context);
}
