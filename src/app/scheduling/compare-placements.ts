import type { comparedPod, comparedSide, podSelectionInput } from '../../contract/placements/placement-comparison.js';
import type { AnswerTo } from '../../contract/question.js';
import type { comparePlacements } from '../../contract/scheduling/questions.js';
import type { Request, Response } from '../../contract/schema.js';
import { defined } from '../../core/collections/defined.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import {
  DIFFERENCES,
  stepComparedRuns,
  type ComparedPod,
  type ComparedSide,
  type NamedDecision,
  type RunDifference,
} from '../../core/scheduling/comparison/compare-runs.js';
import {
  DEFAULT_SCHEDULER,
  stepInQueueOrder,
  stepPendingPods,
  type QueuedWork,
} from '../../core/scheduling/queue/queued-work.js';
import type { SchedulingProfile } from '../../core/scheduling/schedule-pod.js';
import { stepQueue } from '../../core/scheduling/queue/step-queue.js';
import { unbound } from '../../core/scenario/pod-place.js';
import { mapPageInSlices, pageByPosition } from '../paging/page-by-position.js';
import { readLabelSelector } from '../label-selector-parameter.js';
import type { Basis } from '../reads/basis.js';
import { scenarioOf } from '../reads/given-scenario.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import { readRulesVersion } from '../reads/rules-of-revision.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { knownSchedulerResponse } from '../schedulers/scheduler-response.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import { NO_REFUSAL, refusalTexts } from './refusal-response.js';
import { DEFAULT_TIME_BUDGET_MS } from '../../contract/limits.js';
import { schedulingProfile } from './scheduling-profile.js';

/** Maximum number of pods to place on each side. */
export const MAX_COMPARED_PODS = 100_000;

type ComparisonRequest = RequestOf<typeof comparePlacements>;
type PodSelection = Request<typeof podSelectionInput>;

/** Places the same pods on two states: which pods move, no longer fit, or fit now. */
export class ComparePlacements {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} as `ReadState`; `budget-exceeded` for too many pods; `cancelled` */
  async run(request: ComparisonRequest, context: RequestContext): Promise<AnswerTo<typeof comparePlacements>> {
    const {
      cluster,
      readAt: given,
      page,
      selection,
      schedulerName = DEFAULT_SCHEDULER,
      differences,
      timeBudgetMs,
    } = request;
    // Each side checks its manifests by its own version.
    const { within, others } = given.manifests?.split('against') ?? {};
    const readAt: ReadAt = { ...given, ...defined({ manifests: others }) };
    const against: ReadAt = { ...againstOf(request.against), ...defined({ manifests: within }) };
    const identity = [
      'placement-comparison',
      selection?.namespace,
      selection?.labelSelector,
      selection === undefined ? 'pending' : 'selection',
      schedulerName,
      differences?.join(),
      String(against.revision),
      against.at?.toISOString(),
      against.scenario?.hash,
      against.rulesVersion,
      stringifyJson([request.configuration ?? null, request.against.configuration ?? null], { sortKeys: true }),
    ];
    const reading = await this.readState.runPage(cluster, readAt, identity, page, context);
    const { basis, list } = reading;
    const other = await this.readState.run(cluster, sideOf(against, basis, readAt), context);
    const budget = timeBudgetMs ?? DEFAULT_TIME_BUDGET_MS;
    const slices = new TimeSlices({ signal: context.signal });
    const { configuration } = request;
    const { configuration: againstConfiguration = configuration } = request.against;
    const profiles = [
      schedulingProfile(reading.state, { schedulerName, configuration }),
      schedulingProfile(
        other.state,
        { schedulerName, configuration: againstConfiguration },
        request.against.configuration === undefined ? '/configuration' : '/against/configuration',
      ),
    ] as const;
    const before = await this.side(reading.state, profiles[0].plugins, request, budget, slices);
    const after = await this.side(other.state, profiles[1].plugins, request, budget, slices);
    const compared = await runSteps(stepComparedRuns(before.decisions, after.decisions), slices);
    const counts = Object.fromEntries(DIFFERENCES.map((difference) => [difference, 0])) as Record<
      RunDifference,
      number
    >;
    for (const { difference } of compared) counts[difference]++;
    const wanted = new Set<RunDifference>(differences ?? DIFFERENCES.filter((one) => one !== 'stays'));
    const shown = compared.filter(({ difference }) => wanted.has(difference));
    return {
      basis,
      against: other.basis,
      scheduler: knownSchedulerResponse(profiles[0], 'its pods'),
      againstScheduler: knownSchedulerResponse(profiles[1], 'its pods'),
      outcome: before.isComplete && after.isComplete ? 'complete' : 'partial',
      pods: compared.length,
      counts,
      page: await mapPageInSlices(pageByPosition(shown, page, list, basis.revision), comparedResponse, slices),
    };
  }

  private async side(
    state: ClusterState,
    profile: SchedulingProfile,
    { selection, schedulerName = DEFAULT_SCHEDULER }: ComparisonRequest,
    budget: number,
    slices: TimeSlices,
  ): Promise<{ readonly decisions: readonly NamedDecision[]; readonly isComplete: boolean }> {
    const freed = selection === undefined ? state : await runSteps(stepFreed(state, selection), slices);
    const { work: pending } = await runSteps(stepPendingPods(freed, schedulerName), slices);
    const work = await runSteps(stepInQueueOrder(pending), slices);
    const started = performance.now();
    const { decisions, isListed, stopped } = await runSteps(
      stepQueue(freed, work, profile, {
        isOverdue: () => performance.now() - started > budget,
        mostPods: MAX_COMPARED_PODS,
        mostListed: MAX_COMPARED_PODS,
      }),
      slices,
    );
    return {
      decisions: await slices.map(decisions, (decision) => ({ namespace: namespaceOf(work, decision.work), decision })),
      isComplete: isListed && stopped === undefined,
    };
  }
}

const namespaceOf = (work: readonly QueuedWork[], index: number): string => work[index]!.pod.metadata.namespace ?? '';

function againstOf({ revision, at, rulesVersion, scenario }: ComparisonRequest['against']): ReadAt {
  return {
    ...defined({ revision }),
    ...(at === undefined ? {} : { at: new Date(at) }),
    ...(rulesVersion === undefined ? {} : { rulesVersion: readRulesVersion(rulesVersion, 'against.rulesVersion') }),
    ...(scenario === undefined ? {} : { scenario: scenarioOf(scenario) }),
  };
}

/** The other side is the same revision unless it names another one, and has the same rules; it has its own scenario. */
function sideOf(against: ReadAt, { revision }: Basis, { intents, rulesVersion }: ReadAt): ReadAt {
  const isNamed = against.revision !== undefined || against.at !== undefined;
  return { ...(isNamed ? {} : { revision }), ...defined({ intents, rulesVersion }), ...against };
}

/** Unbinds the selected pods; pods of DaemonSets and static pods stay, since they do not choose a node. */
function* stepFreed(
  state: ClusterState,
  { namespace, labelSelector }: PodSelection,
): Generator<undefined, ClusterState> {
  const selector = readLabelSelector(labelSelector, 'selection.labelSelector');
  const { pods } = state;
  const freed = state.fork();
  const edit = freed.edit();
  let any = false;
  for (let index = 0; index < pods.count; index++) {
    if (index % 1024 === 0) yield;
    if (pods.nodeName(index) === '' || !pods.active(index) || pods.terminating(index)) continue;
    if (namespace !== undefined && pods.namespace(index) !== namespace) continue;
    if (selector?.matches(pods.labels(index)) === false) continue;
    const isOfNode = pods.ownerReferences(index).some(({ kind }) => kind === 'DaemonSet' || kind === 'Node');
    if (isOfNode) continue;
    edit.upsert(unbound(pods.pod(index)));
    any = true;
    yield;
  }
  return any ? yield* freed.stepAfter(edit) : freed;
}

function comparedResponse({ namespace, name, difference, before, after }: ComparedPod): Response<typeof comparedPod> {
  return { namespace, name, difference, before: sideResponse(before), after: sideResponse(after) };
}

function sideResponse({ outcome, node, refusal, message }: ComparedSide): Response<typeof comparedSide> {
  const texts = refusal === undefined ? { ...NO_REFUSAL, message: message ?? null } : refusalTexts(refusal);
  return { outcome, node: node ?? null, ...texts };
}
