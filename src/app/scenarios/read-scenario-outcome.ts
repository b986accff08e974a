import type { AnswerTo } from '../../contract/question.js';
import type { Response } from '../../contract/schema.js';
import type { readScenarioOutcome } from '../../contract/scenarios/questions.js';
import type { scenarioFindings, scenarioSide } from '../../contract/scenarios/scenario-outcome.js';
import { defined } from '../../core/collections/defined.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { stepScheduleSummary, type ScheduleSummary } from '../../core/eviction-schedule/schedule-summary.js';
import { SEVERITIES, type Finding } from '../../core/findings/finding.js';
import { compare } from '../../core/json/compare.js';
import { holdsFrom } from '../../storage/revision.js';
import { startOf } from '../evictions/as-of.js';
import { planSchedule } from '../evictions/plan-schedule.js';
import { ScheduleReader } from '../evictions/schedule-reader.js';
import { scheduleRequestOf } from '../evictions/schedule-request.js';
import { momentResponse } from '../evictions/schedule-response.js';
import { countFindings } from '../findings/finding-response.js';
import { DEFAULT_THRESHOLD } from '../quotas/list-quotas.js';
import { standingOf } from '../quotas/quota-response.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { shareResponse } from '../resources/read-overhead-costs.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';

const BUDGET_MS = 60_000;

/** Only counts are read. */
const ONE = { size: 1, afterName: 'continue' };

type Side = Response<typeof scenarioSide>;

interface Sided {
  readonly side: Side;
  readonly findings: readonly Finding[];
}

/** Sums up a state without and with the changes of a scenario. */
export class ReadScenarioOutcome {
  constructor(
    private readonly readState: ReadState,
    private readonly scheduleReader: ScheduleReader,
    private readonly digests: DerivedStateCache,
  ) {}

  /** @throws {ServiceError} as `ReadState.run`; `budget-exceeded`, `cancelled` */
  async run(
    { cluster, readAt, root }: RequestOf<typeof readScenarioOutcome>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof readScenarioOutcome>> {
    const slices = new TimeSlices({ budgetMs: BUDGET_MS, signal: context.signal });
    const { basis, revision } = await this.readState.run(cluster, readAt, context);
    const asOf = startOf(undefined, { readAt, madeAt: holdsFrom(revision).getTime(), now: context.now });
    // Both sides are of the same revision, even if a new one arrives in between.
    const { scenario, intents, rulesVersion } = readAt;
    const stored: ReadAt = { revision: basis.revision, ...defined({ intents, rulesVersion }) };
    const sideOf = async (of: ReadAt): Promise<Sided> => {
      const { state } = await this.readState.run(cluster, of, context);
      const request = scheduleRequestOf({ cluster, readAt: of, page: ONE, view: 'pods', root });
      const reading = await this.scheduleReader.run({ ...request, asOf: new Date(asOf) }, context);
      const { schedule } = await planSchedule(reading, slices);
      const summary = await runSteps(
        stepScheduleSummary(state, schedule, { asOf, mostListed: 1, mostMinutes: 0 }),
        slices,
      );
      const findings = await this.digests.clusterFindings(state);
      return { side: { ...(await this.sumsOf(state, context)), evictions: evictionsOf(summary) }, findings };
    };
    const before = await sideOf(stored);
    const after = await sideOf({ ...stored, ...defined({ scenario }) });
    return {
      basis,
      asOf: new Date(asOf),
      before: before.side,
      after: after.side,
      findings: differing(before.findings, after.findings),
    };
  }

  private async sumsOf(state: ClusterState, context: RequestContext): Promise<Omit<Side, 'evictions'>> {
    const { nodes, pods, resources } = await this.digests.overview(state);
    const { usages } = await this.digests.quotaUsages(state, context.now.getTime());
    const standings = usages.map((usage) => standingOf(usage, state, DEFAULT_THRESHOLD));
    return {
      nodes,
      pods,
      resources,
      quotas: {
        total: usages.length,
        over: standings.filter((standing) => standing === 'over').length,
        full: standings.filter((standing) => standing === 'full').length,
      },
      overhead: shareResponse((await this.digests.overheadCost(state)).cluster),
      findings: countFindings(await this.digests.clusterFindings(state)),
    };
  }
}

function evictionsOf({ counts, moments }: ScheduleSummary): Side['evictions'] {
  const [first] = moments.items;
  return { ...counts, first: first === undefined ? null : momentResponse(first.at) };
}

/** Codes whose number of findings differs, errors first, then by code. */
function differing(
  before: readonly Finding[],
  after: readonly Finding[],
): readonly Response<typeof scenarioFindings>[] {
  const rows = new Map<
    string,
    { code: Finding['code']; severity: Finding['severity']; before: number; after: number }
  >();
  for (const [side, findings] of [
    ['before', before],
    ['after', after],
  ] as const) {
    for (const { code, severity } of findings) {
      const key = `${SEVERITIES.indexOf(severity)} ${code}`;
      const row = rows.get(key) ?? { code, severity, before: 0, after: 0 };
      rows.set(key, row);
      row[side]++;
    }
  }
  return [...rows]
    .filter(([, row]) => row.before !== row.after)
    .sort(([a], [b]) => compare(a, b))
    .map(([, row]) => row);
}
