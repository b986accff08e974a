import type { AnswerTo } from '../../contract/question.js';
import type { Response } from '../../contract/schema.js';
import type { reviewUpgrade, upgradeEffect } from '../../contract/versions/upgrade-review.js';
import { missingKinds } from '../../core/placement/kinds-not-loaded.js';
import {
  COMPARED_KINDS,
  evictionEffects,
  inOrder,
  stepUpgradeReview,
  UPGRADE_EFFECT_KINDS,
  type UpgradeEffect,
  type UpgradeEffectKind,
} from '../../core/upgrade-review/step-upgrade-review.js';
import { defined } from '../../core/collections/defined.js';
import type { PageRequest } from '../../contract/page.js';
import { holdsFrom } from '../../storage/revision.js';
import { planSchedule } from '../evictions/plan-schedule.js';
import { startOf } from '../evictions/as-of.js';
import { ScheduleReader } from '../evictions/schedule-reader.js';
import { scheduleRequestOf } from '../evictions/schedule-request.js';
import { mapPage, pageByPosition } from '../paging/page-by-position.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import { possibleDifferences } from '../reads/rule-differences-of.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';

/** Groups of pods are evaluated for so long, in milliseconds. */
const TIME_BUDGET_MS = 20_000;
const BUDGET_MS = 60_000;
const ONE: PageRequest = { size: 1, afterName: 'continue' };

/** Compares a stored cluster under the rules of two versions of Kubernetes. */
export class ReviewUpgrade {
  constructor(
    private readonly readState: ReadState,
    private readonly scheduleReader: ScheduleReader,
    private readonly digests: DerivedStateCache,
  ) {}

  /** @throws {ServiceError} as `ReadState.runPage`; `budget-exceeded`, `cancelled` */
  async run(
    { cluster, readAt, to, kinds, page, root }: RequestOf<typeof reviewUpgrade>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof reviewUpgrade>> {
    const identity = ['upgrade-review', to, kinds?.join()];
    const reading = await this.readState.runPage(cluster, readAt, identity, page, context);
    const { basis, state: before, list, revision } = reading;
    const { scenario, intents, rulesVersion } = readAt;
    const now: ReadAt = { revision: basis.revision, ...defined({ scenario, intents, rulesVersion }) };
    const later: ReadAt = { ...now, rulesVersion: to };
    const { state: after, basis: against } = await this.readState.run(cluster, later, context);
    const slices = new TimeSlices({ budgetMs: BUDGET_MS, signal: context.signal });
    const at = context.now.getTime();
    const usagesBefore = await this.digests.quotaUsages(before, at);
    const usagesAfter = await this.digests.quotaUsages(after, at);
    const started = performance.now();
    const review = await runSteps(
      stepUpgradeReview(
        { before, after, usagesBefore, usagesAfter },
        at,
        () => performance.now() - started > TIME_BUDGET_MS,
      ),
      slices,
    );
    const asOf = startOf(undefined, { readAt, madeAt: holdsFrom(revision).getTime(), now: context.now });
    const timesOf = (of: ReadAt) => this.evictionTimes({ cluster, readAt: of, asOf, root }, slices, context);
    const evictions = evictionEffects(await timesOf(now), await timesOf(later));
    const effects = [...review.effects, ...evictions].sort(inOrder);
    const counts = Object.fromEntries(
      UPGRADE_EFFECT_KINDS.map((kind) => [kind, effects.filter((effect) => effect.kind === kind).length]),
    ) as Record<UpgradeEffectKind, number>;
    const shown = kinds === undefined ? effects : effects.filter(({ kind }) => kinds.includes(kind));
    return {
      basis,
      against,
      counts,
      groups: review.groups,
      evaluatedGroups: review.evaluated,
      notLoaded: missingKinds(before, COMPARED_KINDS),
      ruleDifferences: possibleDifferences(before, basis.kubernetesVersion).map(({ code, since, message }) => ({
        code,
        since,
        message,
      })),
      page: mapPage(pageByPosition(shown, page, list, basis.revision), effectResponse),
    };
  }

  /** When each pod that leaves does so, at the latest, by `namespace/name`. */
  private async evictionTimes(
    { cluster, readAt, asOf, root }: { cluster: string; readAt: ReadAt; asOf: number; root: string },
    slices: TimeSlices,
    context: RequestContext,
  ): Promise<ReadonlyMap<string, string>> {
    const request = scheduleRequestOf({ cluster, readAt, page: ONE, view: 'pods', root });
    const reading = await this.scheduleReader.run({ ...request, asOf: new Date(asOf) }, context);
    const { schedule, question } = await planSchedule(reading, slices);
    const { pods } = question.state;
    const times = new Map<string, string>();
    schedule.outcomes.forEach(({ at }, row) => {
      if (at === null) return;
      const pod = schedule.pods[row]!;
      times.set(`${pods.namespace(pod)}/${pods.name(pod)}`, new Date(at.latest).toISOString());
    });
    return times;
  }
}

const effectResponse = ({
  kind,
  subject,
  pods,
  before,
  after,
  message,
}: UpgradeEffect): Response<typeof upgradeEffect> => ({
  kind,
  subject: { ...subject, namespace: subject.namespace === '' ? null : subject.namespace },
  pods,
  before: before ?? null,
  after: after ?? null,
  message,
});
