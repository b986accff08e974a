import type { AnswerTo } from '../../contract/question.js';
import type { compareScenario } from '../../contract/scenarios/questions.js';
import type { scenarioImpact } from '../../contract/scenarios/scenario-impact.js';
import type { Response } from '../../contract/schema.js';
import { defined } from '../../core/collections/defined.js';
import {
  IMPACT_KINDS,
  stepScenarioImpacts,
  type Impact,
  type ImpactKind,
} from '../../core/scenario-impact/step-scenario-impacts.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import { mapPage, pageByPosition } from '../paging/page-by-position.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { runSteps } from '../states/run-steps.js';
import { ScenarioStates } from '../states/scenario-states.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { TimeSlices } from '../states/time-slices.js';

const BUDGET_MS = 60_000;

/** Finds what hypothetical changes make worse: pods that are rejected or no longer fit, nodes, and quotas. */
export class CompareScenario {
  constructor(
    private readonly readState: ReadState,
    private readonly scenarioStates: ScenarioStates,
    private readonly digests: DerivedStateCache,
  ) {}

  /** @throws {ServiceError} as `ReadState.runPage`; `budget-exceeded` */
  async run(
    { cluster, readAt, kinds, page }: RequestOf<typeof compareScenario>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof compareScenario>> {
    const identity = ['scenario-impacts', kinds?.join()];
    const { basis, list } = await this.readState.runPage(cluster, readAt, identity, page, context);
    const { scenario, intents, rulesVersion } = readAt;
    const same: ReadAt = { revision: basis.revision, ...defined({ intents, rulesVersion }) };
    const { state: before } = await this.readState.run(cluster, same, context);
    const {
      state: after,
      refused = [],
      touched = [],
    } = await this.scenarioStates.apply(before, scenario, {
      cluster,
      context,
    });
    const now = context.now.getTime();
    const usagesBefore = await this.digests.quotaUsages(before, now);
    const usagesAfter = await this.digests.quotaUsages(after, now);
    const compared = { before, after, touched, refused, usagesBefore, usagesAfter, gates: gatesOf(before.rules) };
    const slices = new TimeSlices({ budgetMs: BUDGET_MS, signal: context.signal });
    const impacts = await runSteps(stepScenarioImpacts(compared), slices);
    const counts = Object.fromEntries(
      IMPACT_KINDS.map((kind) => [kind, impacts.filter((impact) => impact.kind === kind).length]),
    ) as Record<ImpactKind, number>;
    const shown = kinds === undefined ? impacts : impacts.filter(({ kind }) => kinds.includes(kind));
    return { basis, counts, page: mapPage(pageByPosition(shown, page, list, basis.revision), impactResponse) };
  }
}

function impactResponse({
  kind,
  namespace,
  name,
  node,
  by,
  before,
  after,
  limit,
  message,
}: Impact): Response<typeof scenarioImpact> {
  return {
    kind,
    namespace: namespace === '' ? null : namespace,
    name,
    node: node === '' ? null : node,
    by,
    before: before?.toString() ?? null,
    after: after?.toString() ?? null,
    limit: limit?.toString() ?? null,
    message,
  };
}
