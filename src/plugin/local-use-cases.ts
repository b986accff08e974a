import type { RequestContext } from '../app/request-context.js';
import type { RequestOf } from '../app/request-of.js';
import type * as disruptions from '../contract/disruptions/questions.js';
import type * as evictions from '../contract/evictions/questions.js';
import type * as expectations from '../contract/expectations/questions.js';
import type * as findings from '../contract/findings/questions.js';
import type * as gates from '../contract/gates/questions.js';
import type * as placements from '../contract/placements/questions.js';
import type { AnswerTo, Question } from '../contract/question.js';
import type * as quotas from '../contract/quotas/questions.js';
import type * as resources from '../contract/resources/questions.js';
import type * as scheduling from '../contract/scheduling/questions.js';
import type * as taintChanges from '../contract/taint-changes/questions.js';
import type * as taints from '../contract/taints/questions.js';
import type { reviewUpgrade } from '../contract/versions/upgrade-review.js';
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
/** Nothing is known of the time before the cluster was read. */
const NO_TRAIL = { ofNodes: () => Promise.resolve([]) };
const NO_HISTORY = { read: () => Promise.resolve([]) };
/** The preview of a new change reads no stored one. */
const NOT_STORED = undefined as never;
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
    const [{ PlacePod }, { EvaluatePlacement }, { EvaluatedPlacements }, { KeptAnswers }] = await Promise.all([
      import('../app/placements/place-pod.js'),
      import('../app/placements/evaluate-placement.js'),
      import('../app/placements/evaluated-placements.js'),
      import('../app/placements/kept-answers.js'),
    ]);
    const known = new EvaluatedPlacements();
    const evaluatePlacement = new EvaluatePlacement(readState, known, NO_METRICS);
    return new PlacePod(evaluatePlacement, readState, NO_RECORD, new KeptAnswers(known));
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
  maker<typeof scheduling.findCapacity>('schedulingRuns.capacity', async ({ readState }) => {
    const { FindCapacity } = await import('../app/scheduling/find-capacity.js');
    return new FindCapacity(readState);
  }),
  maker<typeof disruptions.planDrain>('disruptions.drains', async ({ readState, digests }) => {
    const { PlanDrain } = await import('../app/disruptions/plan-drain.js');
    return new PlanDrain(readState, digests);
  }),
  maker<typeof evictions.scheduleEvictions>('evictionSchedules.schedule', async ({ readState }) => {
    const [{ EvictionMemory }, { ScheduleEvictions }, { ScheduleReader }] = await Promise.all([
      import('../app/evictions/eviction-memory.js'),
      import('../app/evictions/schedule-evictions.js'),
      import('../app/evictions/schedule-reader.js'),
    ]);
    return new ScheduleEvictions(new ScheduleReader(readState, new EvictionMemory(NO_TRAIL, NO_HISTORY)));
  }),
  maker<typeof taints.takeTaintInventory>('taints.inventory', async ({ readDigest, digests }) => {
    const { TakeTaintInventory } = await import('../app/taints/take-taint-inventory.js');
    return new TakeTaintInventory(readDigest, digests);
  }),
  maker<typeof quotas.listQuotas>('quotas.list', async ({ readState, digests }) => {
    const { ListQuotas } = await import('../app/quotas/list-quotas.js');
    return new ListQuotas(readState, digests);
  }),
  maker<typeof resources.readOverheadCosts>('resources.overheadCosts', async ({ readState, digests }) => {
    const { ReadOverheadCosts } = await import('../app/resources/read-overhead-costs.js');
    return new ReadOverheadCosts(readState, digests);
  }),
  maker<typeof findings.listFindings>('findings.list', async ({ readDigest, digests }) => {
    const { ListFindings } = await import('../app/findings/list-findings.js');
    return new ListFindings(readDigest, digests);
  }),
  maker<typeof expectations.checkExpectations>('expectations.check', async ({ readState }) => {
    const [{ CheckExpectations }, { ExpectationEvaluator }] = await Promise.all([
      import('../app/expectations/check-expectations.js'),
      import('../app/expectations/expectation-evaluator.js'),
    ]);
    return new CheckExpectations(readState, new ExpectationEvaluator());
  }),
  maker<typeof reviewUpgrade>('upgradeReviews.review', async ({ readState, digests }) => {
    const [{ EvictionMemory }, { ReviewUpgrade }, { ScheduleReader }] = await Promise.all([
      import('../app/evictions/eviction-memory.js'),
      import('../app/versions/review-upgrade.js'),
      import('../app/evictions/schedule-reader.js'),
    ]);
    return new ReviewUpgrade(
      readState,
      new ScheduleReader(readState, new EvictionMemory(NO_TRAIL, NO_HISTORY)),
      digests,
    );
  }),
  maker<typeof taintChanges.changeTaints>('taintChanges.change', async ({ digests, resolved, reading }) => {
    const [{ ChangeTaints }, { PlanChange }, { PlanNodes }, { PresentTaintChange }] = await Promise.all([
      import('../app/taint-changes/change-taints.js'),
      import('../app/taint-changes/plan-change.js'),
      import('../app/taint-changes/plan-nodes.js'),
      import('../app/taint-changes/present-taint-change.js'),
    ]);
    const plan = new PlanChange(new PlanNodes(digests), NOT_STORED);
    const head = { ...resolved, state: reading.state };
    return new ChangeTaints(
      { findOrRead: (_cluster, _key, _context, read) => Promise.resolve(read()) },
      { run: (change, context) => plan.run(head, change, context) },
      new PresentTaintChange(NOT_STORED, NOT_STORED, NOT_STORED),
      { run: () => unavailable('changes are applied by kubectl') },
      { ofPreview: () => unavailable('changes are applied by kubectl') },
    );
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
