import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { Workload } from '../../core/cluster/pod-table.js';
import type { Listed } from '../../core/collections/first-few.js';
import type { BudgetMatches } from '../../core/disruption/budget-matches.js';
import { DRAIN_DIFFERENCES } from '../../core/disruption/drain-assumptions.js';
import type { DrainCheck, DrainDecision } from '../../core/disruption/drain-filters.js';
import type {
  BlockReason,
  DrainDifference,
  DrainedNode,
  DrainedPod,
  DrainPlan,
  FirstTry,
  NodeDrainOutcome,
  NoExecuteOutcome,
  RollingPod,
} from '../../core/disruption/drain-plan.js';
import type { EvictionGrant, EvictionRefusal } from '../../core/disruption/eviction-review.js';
import { taintView, type TaintView } from '../taints/taint-view.js';
import { budgetView, type BudgetView } from './budget-view.js';
import { momentOf } from './moment-of.js';

/** What the Eviction API would answer now, were the node drained alone. */
export interface EvictionReviewView {
  /** Null where it is not known. */
  readonly allowed: boolean | null;
  /** Null where it is not known. */
  readonly why: EvictionGrant | EvictionRefusal | null;
  /** Null where it is allowed, or not known. */
  readonly code: number | null;
  readonly message: string | null;
  /** What the budget says of it, or what is not known. */
  readonly cause: string | null;
  readonly retryAfterSeconds: number | null;
  readonly basedOn: 'computed' | 'stored' | null;
}

export interface NoExecuteView {
  readonly action: NoExecuteOutcome['action'];
  readonly afterSeconds: number | null;
  /** If the controller sees the taint at once. */
  readonly at: Date | null;
  readonly taint: TaintView;
  readonly toleration: number | null;
}

export interface RollingPodView {
  readonly outcome: RollingPod['outcome'];
  readonly evictedAt: Date | null;
  readonly goneAt: Date | null;
  readonly tries: number | null;
  readonly round: number | null;
}

export interface DrainedPodView {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  readonly phase: string;
  readonly workload: Workload;
  /** Null where the pod is not selected. */
  readonly decision: (Omit<DrainDecision, 'check'> & { readonly check: DrainCheck | null }) | null;
  /** `namespace/name`. */
  readonly budgets: readonly string[];
  readonly eviction: EvictionReviewView | null;
  readonly noExecute: NoExecuteView;
  readonly difference: DrainDifference | null;
  readonly rolling: RollingPodView | null;
}

export interface DrainedNodeView extends Omit<DrainedNode, 'node' | 'startsAt' | 'endsAt'> {
  readonly node: string;
  readonly outcome: NodeDrainOutcome;
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
}

export interface BlockingBudgetView {
  readonly budget: string;
  readonly why: BlockReason;
  readonly pods: number;
  readonly nodes: number;
  readonly text: string;
}

/** What is said of a drain before its pods. */
export interface DrainHeadView {
  readonly taint: TaintView;
  readonly startsAt: Date;
  /** Null where some node never is done, or nobody knows. */
  readonly endsAt: Date | null;
  readonly lengthSeconds: number | null;
  readonly nodes: Listed<DrainedNodeView>;
  readonly blocking: Listed<BlockingBudgetView>;
  readonly budgets: Listed<BudgetView>;
  readonly differences: readonly {
    readonly difference: DrainDifference;
    readonly pods: number;
    readonly text: string;
  }[];
  readonly assumptions: readonly string[];
}

/** At most so many nodes, and so many budgets, are shown. */
const MOST_NODES = 500;
const MOST_BUDGETS = 100;

export function drainHeadView(
  state: ClusterState,
  matches: BudgetMatches,
  plan: DrainPlan,
  { taint, now }: { readonly taint: Parameters<typeof taintView>[0]; readonly now: Date },
): DrainHeadView {
  const blocking = new Set(plan.blocking.map(({ budget }) => budget));
  // Those that block first, then by namespace and name.
  const budgets = [...plan.budgets].sort(([a], [b]) => Number(blocking.has(b)) - Number(blocking.has(a)) || a - b);
  return {
    taint: taintView(taint),
    startsAt: now,
    endsAt: momentOf(plan.endsAt),
    lengthSeconds: plan.endsAt === undefined ? null : (plan.endsAt - now.getTime()) / 1000,
    nodes: some(plan.nodes, MOST_NODES, (node) => drainedNodeView(state, node)),
    blocking: some(plan.blocking, MOST_BUDGETS, ({ budget, ...block }) => ({
      budget: budgetKey(matches, budget),
      ...block,
      text: plan.budgets.get(budget)?.text ?? '',
    })),
    budgets: some(budgets, MOST_BUDGETS, ([, standing]) => budgetView(standing)),
    differences: [...plan.differences]
      .map(([difference, pods]) => ({ difference, pods, text: DRAIN_DIFFERENCES[difference] }))
      .sort((a, b) => b.pods - a.pods),
    assumptions: plan.assumptions,
  };
}

function some<Item, View>(items: readonly Item[], most: number, view: (item: Item) => View): Listed<View> {
  return { total: items.length, items: items.slice(0, most).map(view) };
}

function drainedNodeView({ nodes }: ClusterState, drained: DrainedNode): DrainedNodeView {
  const { node, startsAt, endsAt, ...rest } = drained;
  return { ...rest, node: nodes.name(node), startsAt: momentOf(startsAt), endsAt: momentOf(endsAt) };
}

const budgetKey = ({ budgets }: BudgetMatches, index: number): string => {
  const { namespace = 'default', name } = budgets[index]!.metadata;
  return `${namespace}/${name}`;
};

export function drainedPodView(
  { pods, nodes }: ClusterState,
  matches: BudgetMatches,
  plan: DrainPlan,
  drained: DrainedPod,
  now: Date,
): DrainedPodView {
  const { pod, decision, firstTry, noExecute, difference, rolling } = drained;
  const { kind, namespace, name } = pods.workload(pod);
  return {
    namespace: pods.namespace(pod),
    name: pods.name(pod),
    node: nodes.name(plan.nodes[drained.node]!.node),
    phase: pods.phase(pod),
    workload: { kind, namespace, name },
    decision:
      decision === undefined
        ? null
        : {
            delete: decision.delete,
            reason: decision.reason,
            message: decision.message,
            check: decision.check ?? null,
          },
    budgets: drained.guards.slice(0, MOST_BUDGETS).map((budget) => budgetKey(matches, budget)),
    eviction: firstTry === undefined ? null : evictionReviewView(firstTry),
    noExecute: noExecuteView(noExecute, now),
    difference: difference ?? null,
    rolling: rolling === undefined ? null : rollingPodView(rolling),
  };
}

function evictionReviewView(firstTry: FirstTry): EvictionReviewView {
  if ('unknown' in firstTry) {
    const none = { why: null, code: null, message: null, retryAfterSeconds: null, basedOn: null };
    return { allowed: null, cause: firstTry.unknown, ...none };
  }
  const { review, basedOn } = firstTry;
  const { allowed, why } = review;
  if (review.allowed) {
    return { allowed, why, code: null, message: null, cause: null, retryAfterSeconds: null, basedOn };
  }
  const { code, message, causes, retryAfterSeconds = null } = review;
  return { allowed, why, code, message, cause: causes[0]?.message ?? null, retryAfterSeconds, basedOn };
}

function noExecuteView({ action, afterSeconds, taint, toleration }: NoExecuteOutcome, now: Date): NoExecuteView {
  const seconds = action === 'now' ? 0 : afterSeconds;
  return {
    action,
    afterSeconds,
    at: seconds === null ? null : momentOf(now.getTime() + seconds * 1000),
    taint: taintView(taint),
    toleration,
  };
}

function rollingPodView({ outcome, evictedAt, goneAt, tries, round }: RollingPod): RollingPodView {
  return {
    outcome,
    evictedAt: momentOf(evictedAt),
    goneAt: momentOf(goneAt),
    tries: tries ?? null,
    round: round ?? null,
  };
}
