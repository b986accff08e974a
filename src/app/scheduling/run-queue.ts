import { NOTHING } from '../../core/collections/nothing.js';
import type { Response } from '../../contract/schema.js';
import type { queueGroup } from '../../contract/scheduling/queue-run.js';
import type { queueRunInput } from '../../contract/scheduling/queue-run.js';
import type { runQueue } from '../../contract/scheduling/questions.js';
import type { Request } from '../../contract/schema.js';
import { defined } from '../../core/collections/defined.js';
import { DEFAULT_CHANGES_TRIED, DEFAULT_TIME_BUDGET_MS } from '../../contract/limits.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { AlikePods } from '../../core/collections/alike-pods.js';
import {
  DEFAULT_SCHEDULER,
  stepInQueueOrder,
  stepPendingPods,
  type PendingPods,
} from '../../core/scheduling/queue/queued-work.js';
import {
  stepQueue,
  type PlacedGroup,
  type QueueResult,
  type QueueTotals,
} from '../../core/scheduling/queue/step-queue.js';
import { stepUnblocking, type UnblockingOptions } from '../../core/scheduling/queue/step-unblocking.js';
import type { SchedulingProfile } from '../../core/scheduling/schedule-pod.js';
import { seededNumbers } from '../../core/scheduling/seeded-numbers.js';
import { groupedPages, listInView } from '../paging/grouped-pages.js';
import { stepPodGroupResponse } from '../paging/pod-group-response.js';
import { stepCanonicalHash } from '../canonical-hash.js';
import { ReadState } from '../reads/read-state.js';
import { stateUnderGates } from '../reads/state-under-gates.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { knownSchedulerResponse, type SchedulerResponse } from '../schedulers/scheduler-response.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import { stepGivenWork, type IdentifiedWork, type RefusedWork } from './given-work.js';
import {
  changeResponse,
  countsOf,
  decisionResponse,
  raiseResponse,
  refusedResponse,
  type QueueResponse,
  type UnblockingResponse,
} from './queue-response.js';
import { DECISIONS_ALIKE, stepInWaitingOrder } from './queue-groups.js';
import { schedulingProfile } from './scheduling-profile.js';

/** Maximum number of decisions in a response; all are counted. */
const MAX_LISTED = 100_000;
/** Maximum number of workloads with counts. */
const MAX_WORKLOADS = 100;

type QueueQuestion = Request<typeof queueRunInput>;

export interface QueueProgress {
  readonly waiting: number;
  readonly totals: QueueTotals;
}

interface Finished {
  readonly scheduler: SchedulerResponse | null;
  readonly work: readonly IdentifiedWork[];
  readonly pending: PendingPods;
  readonly refused: readonly RefusedWork[];
  readonly waiting: number;
  readonly result: QueueResult;
  readonly unblocking: QueueResponse['unblocking'];
}

/** Number of runs whose further pages can be requested. */
const MAX_KEPT = 4;

/**
 * Takes pods in the order of the scheduling queue and places them one after another, each in the state that the earlier
 * ones left. Nothing is stored.
 */
export class RunQueue {
  private readonly kept = new Map<string, { readonly state: WeakRef<ClusterState>; readonly finished: Finished }>();

  constructor(private readonly readState: ReadState) {}

  /**
   * @param onProgress receives progress reports
   * @throws {ServiceError} as `ReadState.runPage` and `readGivenWork`; `cancelled`
   */
  async run(
    request: RequestOf<typeof runQueue>,
    context: RequestContext,
    onProgress?: (progress: QueueProgress) => void,
  ): Promise<QueueResponse> {
    const { cluster, readAt, page } = request;
    const hash = await new TimeSlices({ signal: context.signal }).run(stepHashOf(request));
    const identity = listInView(['queue-run', hash], request.view);
    const { basis, state: stored, list } = await this.readState.runPage(cluster, readAt, identity, page, context);
    const state = stateUnderGates(stored, request.featureGates);
    const key = `${cluster} ${basis.revision} ${readAt.scenario?.hash ?? ''} ${readAt.intents ?? ''} ${hash}`;
    const known = page.after === undefined ? undefined : this.kept.get(key);
    const finished =
      known !== undefined && known.state.deref() === state
        ? known.finished
        : await this.finish(state, request, context, onProgress);
    const { scheduler, work, pending, refused, waiting, result, unblocking } = finished;
    const numbered = result.decisions.map((decision, position) => ({ decision, position }));
    const workloads = countsOf(work, result);
    if (numbered.length > page.size) this.keep(key, state, finished);
    const alike = new AlikePods(DECISIONS_ALIKE);
    const slices = new TimeSlices({ signal: context.signal });
    const shown = ({ decision, position }: (typeof numbered)[number]) => decisionResponse(decision, position, work);
    return {
      basis,
      schedulerName: request.schedulerName ?? DEFAULT_SCHEDULER,
      scheduler,
      outcome: result.stopped === undefined ? 'complete' : 'partial',
      waiting,
      totals: result.totals,
      ofOtherSchedulers: pending.ofOtherSchedulers,
      refused: refused.map(refusedResponse),
      queueReasons: result.reasons,
      taints: [...result.taints].map(([taint, pods]) => ({ taint, pods })).sort((a, b) => b.pods - a.pods),
      podGroups: result.groups.slice(0, MAX_GROUPS).map(podGroupOf),
      workloads: workloads.slice(0, MAX_WORKLOADS),
      workloadCount: workloads.length,
      unblocking,
      isListed: result.isListed,
      pages: groupedPages({
        list,
        view: 'pods',
        revision: basis.revision,
        items: numbered,
        renderItem: shown,
        groups: async () => {
          for (const one of numbered) {
            if (slices.due()) await slices.pause();
            alike.add(shown(one), one.decision.count);
          }
          return runSteps(stepInWaitingOrder(alike), slices);
        },
        renderGroup: (group) => stepPodGroupResponse<Response<typeof queueGroup>>(alike, group),
        slices,
      }),
    };
  }

  private async finish(
    state: ClusterState,
    question: RequestOf<typeof runQueue>,
    context: RequestContext,
    onProgress: ((progress: QueueProgress) => void) | undefined,
  ): Promise<Finished> {
    const { schedulerName = DEFAULT_SCHEDULER, timeBudgetMs = DEFAULT_TIME_BUDGET_MS, seed } = question;
    const at = question.root === '' ? '/configuration' : `/${question.root}/configuration`;
    const chosen = schedulingProfile(state, { schedulerName, configuration: question.configuration }, at);
    const profile = chosen.plugins;
    const slices = new TimeSlices({ signal: context.signal });
    const isPending = question.pending ?? true;
    const pending = await runSteps(stepPendingPods(state, schedulerName), slices);
    const given = await runSteps(
      stepGivenWork(state, question.pods ?? [], question.admission ?? 'run', context.now, question.root),
      slices,
    );
    const stored = isPending ? pending.work.map((one): IdentifiedWork => ({ ...NOTHING, ...one, id: null })) : [];
    const work = await runSteps(stepInQueueOrder([...stored, ...given.work]), slices);
    const waiting = work.reduce((sum, { replicas }) => sum + replicas, 0);
    const started = performance.now();
    const overdueAfter = (budget: number) => (): boolean => performance.now() - started > budget;
    const pick = seed === undefined ? undefined : (): ((tied: number) => number) => drawing(seed);
    const result = await runSteps(
      stepQueue(state, work, profile, {
        isOverdue: overdueAfter(timeBudgetMs),
        mostListed: MAX_LISTED,
        ...(pick === undefined ? {} : { pick: pick() }),
        ...(onProgress === undefined ? {} : { onProgress: (totals) => onProgress({ waiting, totals }) }),
      }),
      slices,
    );
    const unblocking =
      question.unblocking === true
        ? await unblockings(state, { work, refused: given.refused, result }, profile, slices, {
            mostTried: question.changesTried ?? DEFAULT_CHANGES_TRIED,
            isOverdue: overdueAfter(timeBudgetMs),
            ...defined({ pick }),
          })
        : null;
    const scheduler = knownSchedulerResponse(chosen, 'its pods');
    return { scheduler, work, pending, refused: given.refused, waiting, result, unblocking };
  }

  private keep(key: string, state: ClusterState, finished: Finished): void {
    this.kept.delete(key);
    this.kept.set(key, { state: new WeakRef(state), finished });
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= MAX_KEPT) return;
      this.kept.delete(oldest);
    }
  }
}

/**
 * Finds the single changes that let more pods be scheduled: of the cluster, or of the quotas that reject some of the
 * given pods.
 */
async function unblockings(
  state: ClusterState,
  { work, refused, result }: Pick<Finished, 'work' | 'refused' | 'result'>,
  profile: SchedulingProfile,
  slices: TimeSlices,
  options: UnblockingOptions & Required<Pick<UnblockingOptions, 'isOverdue'>>,
): Promise<NonNullable<QueueResponse['unblocking']>> {
  if (result.stopped !== undefined) return { tried: 0, candidates: 0, isPartial: true, changes: [] };
  const { found, ...counts } = await runSteps(stepUnblocking(state, work, profile, result, options), slices);
  const changes = found.map(({ change, unblocks, blocks }) => ({ ...changeResponse(change), unblocks, blocks }));
  const raised: UnblockingResponse[] = [];
  for (const { raises, work: rest } of refused) {
    if (rest === undefined || options.isOverdue()) continue;
    const more = await runSteps(stepInQueueOrder([...work, rest]), slices);
    const after = await runSteps(stepQueue(state, more, profile, { isOverdue: options.isOverdue }), slices);
    const unblocks = after.totals.placed - result.totals.placed;
    if (unblocks > 0) raised.push({ ...raiseResponse(raises, rest.workload), unblocks, blocks: 0 });
  }
  return { ...counts, changes: [...changes, ...raised].sort((a, b) => b.unblocks - a.unblocks) };
}

const MAX_GROUPS = 1000;

function podGroupOf(group: PlacedGroup): QueueResponse['podGroups'][number] {
  const { source, namespace, name, treatment, note, pods, bound, placed } = group;
  return { source, namespace, name, minimum: group.minimum ?? null, treatment, note, pods, bound, placed };
}

/** Equal for equal requests, whatever the order of their members. */
function stepHashOf(question: QueueQuestion): Generator<undefined, string> {
  const { pending, pods, admission, featureGates, schedulerName, configuration } = question;
  const { timeBudgetMs, unblocking, changesTried, seed } = question;
  const members = {
    ...defined({ pending, pods, admission, featureGates, schedulerName, configuration }),
    ...defined({ timeBudgetMs, unblocking, changesTried, seed }),
  };
  return stepCanonicalHash(members);
}

/** Chooses randomly among nodes with the same total. */
function drawing(seed: number): (tied: number) => number {
  const next = seededNumbers(seed);
  return (tied) => Math.floor(next() * tied);
}
