import { createHash } from 'node:crypto';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { Workload } from '../../core/cluster/pod-table.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import {
  DEFAULT_SCHEDULER,
  inQueueOrder,
  stepPendingPods,
  type PendingPods,
} from '../../core/scheduling/queue/queued-work.js';
import {
  stepQueue,
  type QueueDecision,
  type QueueOutcome,
  type QueueResult,
  type QueueTotals,
} from '../../core/scheduling/queue/step-queue.js';
import { stepUnblocking, type Unblockings } from '../../core/scheduling/queue/step-unblocking.js';
import type { UnblockingChange } from '../../core/scheduling/queue/unblocking-change.js';
import { seededNumbers } from '../../core/scheduling/seeded-numbers.js';
import { mapPage, pageByPosition } from '../paging/page-by-position.js';
import type { Page, PageRequest } from '../paging/page.js';
import type { AdmissionMode } from '../placements/placement-request.js';
import type { Basis } from '../reads/basis.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestEdge } from '../request-edge.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import { readGivenWork, type GivenWork, type IdentifiedWork, type RefusedWork } from './given-work.js';
import { NO_REFUSAL, refusalTexts, type RefusalTexts } from './refusal-view.js';
import { schedulingProfile } from './scheduling-profile.js';

export const DEFAULT_TIME_BUDGET_MS = 10_000;
export const GREATEST_TIME_BUDGET_MS = 60_000;
/** Changes that are tried for what they unblock, unless told. */
export const DEFAULT_CHANGES_TRIED = 12;
export const MOST_CHANGES_TRIED = 40;
/** Decisions that are listed at most; those beyond are counted. */
const MOST_LISTED = 100_000;
/** Workloads whose counts are told. */
const MOST_WORKLOADS = 100;

export interface QueueQuestion {
  /** Whether the pods that wait in the stored cluster are in the queue; they are unless told. */
  readonly pending?: boolean | undefined;
  /** Pods besides. */
  readonly pods?: readonly GivenWork[] | undefined;
  readonly admission?: AdmissionMode | undefined;
  /** Whose pods; `default-scheduler` unless told. */
  readonly schedulerName?: string | undefined;
  /** As `ProfileChoice`. */
  readonly configuration?: JsonObject | undefined;
  readonly timeBudgetMs?: number | undefined;
  /** Whether the single changes are looked for that let more pods go. */
  readonly unblocking?: boolean | undefined;
  readonly changesTried?: number | undefined;
  /** Chooses among nodes with the same total; the first by name is taken unless told. */
  readonly seed?: number | undefined;
}

export interface QueueRequest extends QueueQuestion {
  /** Where in the request the question stands. */
  readonly root: '' | 'input';
  readonly cluster: string;
  readonly readAt: ReadAt;
  readonly page: PageRequest;
  /** Called as the run goes on. */
  readonly told?: (progress: QueueProgress) => void;
}

export interface QueueProgress {
  readonly waiting: number;
  readonly totals: QueueTotals;
}

export interface QueueDecisionView extends RefusalTexts {
  readonly position: number;
  readonly id: string | null;
  readonly workload: Workload;
  readonly namespace: string;
  readonly name: string;
  readonly priority: number;
  readonly outcome: QueueOutcome;
  /** More than one: replicas in a row that nothing can tell apart; the name is that of the first. */
  readonly pods: number;
  readonly node: string | null;
  readonly feasible: number | null;
  readonly tied: number | null;
  readonly total: number | null;
  readonly uncertain: readonly string[];
}

export interface UnblockingView {
  readonly kind: UnblockingChange['kind'] | 'RaiseQuota';
  readonly summary: string;
  readonly unblocks: number;
  readonly blocks: number;
  readonly taint: string | null;
  readonly workload: Workload | null;
  /** Of new nodes: the node that they are like. */
  readonly like: string | null;
  /** Nodes that change or come. */
  readonly nodes: number | null;
}

export interface WorkloadCounts extends QueueTotals {
  readonly id: string | null;
  readonly workload: Workload;
}

export interface RefusedView extends Omit<RefusedWork, 'work' | 'raises'> {
  readonly raises: readonly {
    readonly quota: string;
    readonly resource: string;
    readonly from: string;
    readonly to: string;
    readonly text: string;
  }[];
}

export interface QueueAnswer {
  readonly basis: Basis;
  readonly schedulerName: string;
  /** `partial`: the time was over before every pod had its turn. */
  readonly outcome: 'complete' | 'partial';
  /** Pods in the queue. */
  readonly waiting: number;
  readonly totals: QueueTotals;
  readonly ofOtherSchedulers: number;
  readonly refused: readonly RefusedView[];
  readonly reasons: QueueResult['reasons'];
  readonly taints: readonly { readonly taint: string; readonly pods: number }[];
  /** Those with most pods that found no node first. */
  readonly workloads: readonly WorkloadCounts[];
  readonly workloadCount: number;
  /** Null where nobody asked. */
  readonly unblocking: (Omit<Unblockings, 'found'> & { readonly changes: readonly UnblockingView[] }) | null;
  /** Whether every decision is in the list. */
  readonly isListed: boolean;
  readonly page: Page<QueueDecisionView>;
}

interface Finished {
  readonly work: readonly IdentifiedWork[];
  readonly pending: PendingPods;
  readonly refused: readonly RefusedWork[];
  readonly waiting: number;
  readonly result: QueueResult;
  readonly unblocking: QueueAnswer['unblocking'];
}

/** Runs whose next pages may be asked for. */
const MOST_KEPT = 4;

/** Takes pods in the order of the scheduler and places them one after another, each seeing those before. Nothing is stored. */
export class RunQueue {
  private readonly kept = new Map<string, { readonly state: WeakRef<ClusterState>; readonly finished: Finished }>();

  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} as `ReadState.runPage` and `readGivenWork`; `cancelled` */
  async run(request: QueueRequest, edge: RequestEdge): Promise<QueueAnswer> {
    const { cluster, readAt, page, told, root, ...question } = request;
    const hash = hashOf(question);
    const { basis, state, list } = await this.readState.runPage(cluster, readAt, ['queue-run', hash], page, edge);
    const key = `${cluster} ${basis.revision} ${readAt.scenario?.hash ?? ''} ${readAt.intents ?? ''} ${hash}`;
    const known = page.after === undefined ? undefined : this.kept.get(key);
    const finished =
      known !== undefined && known.state.deref() === state
        ? known.finished
        : await this.finish(state, { ...question, root }, edge, told);
    const { work, pending, refused, waiting, result, unblocking } = finished;
    const numbered = result.decisions.map((decision, position) => ({ decision, position }));
    const workloads = countsOf(finished);
    const listed = pageByPosition(numbered, page, list, basis.revision);
    if (listed.hasMore) this.keep(key, state, finished);
    return {
      basis,
      schedulerName: question.schedulerName ?? DEFAULT_SCHEDULER,
      outcome: result.stopped === undefined ? 'complete' : 'partial',
      waiting,
      totals: result.totals,
      ofOtherSchedulers: pending.ofOtherSchedulers,
      refused: refused.map(refusedView),
      reasons: result.reasons,
      taints: [...result.taints].map(([taint, pods]) => ({ taint, pods })).sort((a, b) => b.pods - a.pods),
      workloads: workloads.slice(0, MOST_WORKLOADS),
      workloadCount: workloads.length,
      unblocking,
      isListed: result.isListed,
      page: mapPage(listed, ({ decision, position }) => decisionView(decision, position, work)),
    };
  }

  private async finish(
    state: ClusterState,
    question: QueueQuestion & Pick<QueueRequest, 'root'>,
    edge: RequestEdge,
    told: QueueRequest['told'],
  ): Promise<Finished> {
    const { schedulerName = DEFAULT_SCHEDULER, timeBudgetMs = DEFAULT_TIME_BUDGET_MS, seed } = question;
    const at = question.root === '' ? '/configuration' : `/${question.root}/configuration`;
    const profile = schedulingProfile(state, { schedulerName, configuration: question.configuration }, at);
    const slices = new TimeSlices({ signal: edge.signal });
    const isPending = question.pending ?? true;
    const pending = await runSteps(stepPendingPods(state, schedulerName), slices);
    const given = readGivenWork(state, question.pods ?? [], question.admission ?? 'run', edge.now, question.root);
    const stored = isPending ? pending.work.map((one): IdentifiedWork => ({ ...one, id: null })) : [];
    const work = inQueueOrder([...stored, ...given.work]) as readonly IdentifiedWork[];
    const waiting = work.reduce((sum, { replicas }) => sum + replicas, 0);
    const started = performance.now();
    const overdueAfter = (budget: number) => (): boolean => performance.now() - started > budget;
    const pick = seed === undefined ? undefined : (): ((tied: number) => number) => drawing(seed);
    const result = await runSteps(
      stepQueue(state, work, profile, {
        isOverdue: overdueAfter(timeBudgetMs),
        mostListed: MOST_LISTED,
        ...(pick === undefined ? {} : { pick: pick() }),
        ...(told === undefined ? {} : { told: (totals) => told({ waiting, totals }) }),
      }),
      slices,
    );
    let unblocking: QueueAnswer['unblocking'] = null;
    if (question.unblocking === true) {
      if (result.stopped !== undefined) unblocking = { tried: 0, candidates: 0, isPartial: true, changes: [] };
      else {
        const options = {
          mostTried: question.changesTried ?? DEFAULT_CHANGES_TRIED,
          isOverdue: overdueAfter(timeBudgetMs),
          ...(pick === undefined ? {} : { pick }),
        };
        const { found, ...counts } = await runSteps(stepUnblocking(state, work, profile, result, options), slices);
        const changes = found.map(({ change, unblocks, blocks }) => ({ ...changeView(change), unblocks, blocks }));
        const raised: UnblockingView[] = [];
        for (const one of given.refused) {
          const { work: rest } = one;
          if (rest === undefined || options.isOverdue()) continue;
          const more = inQueueOrder([...work, rest]);
          const after = await runSteps(stepQueue(state, more, profile, { isOverdue: options.isOverdue }), slices);
          const unblocks = after.totals.placed - result.totals.placed;
          const summary = `raise ${refusedView(one)
            .raises.map(({ text }) => text)
            .join(', ')}`;
          if (unblocks > 0) {
            raised.push({ ...NO_CHANGE, kind: 'RaiseQuota', summary, workload: rest.workload, unblocks, blocks: 0 });
          }
        }
        unblocking = { ...counts, changes: [...changes, ...raised].sort((a, b) => b.unblocks - a.unblocks) };
      }
    }
    return { work, pending, refused: given.refused, waiting, result, unblocking };
  }

  private keep(key: string, state: ClusterState, finished: Finished): void {
    this.kept.delete(key);
    this.kept.set(key, { state: new WeakRef(state), finished });
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= MOST_KEPT) return;
      this.kept.delete(oldest);
    }
  }
}

function refusedView({ id, by, message, pods, raises }: RefusedWork): RefusedView {
  return {
    id,
    by,
    message,
    pods,
    raises: raises.map((raise) => {
      const { quota, resource } = raise;
      const [from, to] = [raise.from.toString(), raise.to.toString()];
      return { quota, resource, from, to, text: `${quota} ${resource} ${from} -> ${to}` };
    }),
  };
}

const NO_CHANGE = { taint: null, workload: null, like: null, nodes: null } as const;

function changeView(change: UnblockingChange): Omit<UnblockingView, 'unblocks' | 'blocks'> {
  const { kind } = change;
  switch (kind) {
    case 'RemoveTaint': {
      const taint = formatTaint(change.taint);
      return {
        ...NO_CHANGE,
        kind,
        taint,
        nodes: change.nodes,
        summary: `remove the taint ${taint} from ${nodes(change.nodes)}`,
      };
    }
    case 'AddToleration': {
      const taint = formatTaint(change.taint);
      const { workload } = change;
      const whose = `${workload.kind} ${workload.namespace}/${workload.name}`;
      return { ...NO_CHANGE, kind, taint, workload, summary: `let ${whose} tolerate ${taint}` };
    }
    case 'Uncordon':
      return { ...NO_CHANGE, kind, nodes: change.nodes, summary: `uncordon ${nodes(change.nodes)}` };
    case 'AddNodes': {
      const { like, count } = change;
      return { ...NO_CHANGE, kind, like, nodes: count, summary: `add ${nodes(count)} like ${like}` };
    }
  }
}

const nodes = (count: number): string => (count === 1 ? '1 node' : `${count} nodes`);

function countsOf({ work, result }: Finished): readonly WorkloadCounts[] {
  const counts = new Map<string, { -readonly [Key in keyof WorkloadCounts]: WorkloadCounts[Key] }>();
  work.forEach(({ id, workload }, index) => {
    const key = JSON.stringify([id, workload.kind, workload.namespace, workload.name]);
    const of = result.byWork[index]!;
    const known = counts.get(key);
    if (known === undefined) {
      counts.set(key, { id, workload, ...of });
      return;
    }
    for (const outcome of Object.keys(of) as QueueOutcome[]) known[outcome] += of[outcome];
  });
  return [...counts.values()].sort((a, b) => b.unplaced - a.unplaced || b.placed - a.placed);
}

function decisionView(decision: QueueDecision, position: number, work: readonly IdentifiedWork[]): QueueDecisionView {
  const { id, pod, workload } = work[decision.work]!;
  const head = {
    position,
    id,
    workload,
    namespace: pod.metadata.namespace ?? '',
    name: decision.name,
    priority: pod.spec.priority ?? 0,
    outcome: decision.outcome,
    pods: decision.count,
    node: null,
    feasible: null,
    tied: null,
    total: null,
    uncertain: [],
    ...NO_REFUSAL,
  };
  switch (decision.outcome) {
    case 'placed': {
      const { node, feasible, tied, total = null, uncertain = [] } = decision;
      return { ...head, node, feasible, tied, total, uncertain };
    }
    case 'unplaced':
      return { ...head, ...refusalTexts(decision.refusal) };
    case 'gated':
    case 'error':
      return { ...head, message: decision.message };
    case 'notTried':
      return head;
  }
}

/** The same for equal questions, however their members are ordered. */
function hashOf(question: QueueQuestion): string {
  const canonical = stringifyJson(question, { sortKeys: true });
  return createHash('sha256').update(canonical).digest('base64url').slice(0, 22);
}

/** Which of so many nodes with the same total is taken, each time anew. */
function drawing(seed: number): (tied: number) => number {
  const next = seededNumbers(seed);
  return (tied) => Math.floor(next() * tied);
}
