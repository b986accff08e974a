import type {
  drainedNode,
  drainedPod,
  drainHead,
  evictionReview,
  noExecuteOutcome,
  rollingPod,
  rollingReplacement,
} from '../../contract/disruptions/drain.js';
import type { Response } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { Listed } from '../../core/collections/first-few.js';
import { budgetKey, type BudgetMatches } from '../../core/disruption/budget-matches.js';
import { DRAIN_DIFFERENCES } from '../../core/drain/drain-assumptions.js';
import type {
  DrainedNode,
  DrainedPod,
  DrainPlan,
  FirstTry,
  NoExecuteOutcome,
  RollingPod,
  RollingReplacement,
} from '../../core/drain/drain-plan.js';
import { taintResponse } from '../taints/taint-response.js';
import { budgetResponse } from './budget-response.js';
import { momentOf } from './moment-of.js';

type EvictionReviewResponse = Response<typeof evictionReview>;
type NoExecuteResponse = Response<typeof noExecuteOutcome>;
type RollingPodResponse = Response<typeof rollingPod>;
type ReplacementResponse = Response<typeof rollingReplacement>;
type DrainedPodResponse = Response<typeof drainedPod>;
type DrainedNodeResponse = Response<typeof drainedNode>;
type DrainHeadResponse = Omit<Response<typeof drainHead>, 'basis'>;

/** Maximum number of nodes, and of budgets, in the response. */
const MAX_NODES = 500;
const MAX_BUDGETS = 100;
/** Maximum number of pods without a node, by node. */
const MAX_WITHOUT_NODE = 10;
const WAITS_FOR_ORDINAL = 'its StatefulSet creates it when the pods with lower ordinals are ready';

export function drainHeadResponse(
  state: ClusterState,
  matches: BudgetMatches,
  plan: DrainPlan,
  { taint, asOf }: { readonly taint: Parameters<typeof taintResponse>[0]; readonly asOf: Date },
): DrainHeadResponse {
  const blocking = new Set(plan.blocking.map(({ budget }) => budget));
  // Blocking ones first, then by namespace and name.
  const budgets = [...plan.budgets].sort(([a], [b]) => Number(blocking.has(b)) - Number(blocking.has(a)) || a - b);
  return {
    taint: taintResponse(taint),
    startsAt: asOf,
    endsAt: momentOf(plan.endsAt),
    lengthSeconds: plan.endsAt === undefined ? null : (plan.endsAt - asOf.getTime()) / 1000,
    nodes: some(plan.nodes, MAX_NODES, (node) => drainedNodeResponse(state, node)),
    blocking: some(plan.blocking, MAX_BUDGETS, ({ budget, ...block }) => ({
      budget: budgetKey(matches, budget),
      ...block,
      text: plan.budgets.get(budget)?.text ?? '',
    })),
    budgets: some(budgets, MAX_BUDGETS, ([, standing]) => budgetResponse(standing)),
    differences: [...plan.differences]
      .map(([difference, pods]) => ({ difference, pods, text: DRAIN_DIFFERENCES[difference] }))
      .sort((a, b) => b.pods - a.pods),
    assumptions: plan.assumptions,
  };
}

function some<Item, View>(items: readonly Item[], most: number, view: (item: Item) => View): Listed<View> {
  return { total: items.length, items: items.slice(0, most).map(view) };
}

function drainedNodeResponse({ nodes, pods }: ClusterState, drained: DrainedNode): DrainedNodeResponse {
  const { node, startsAt, endsAt, withoutNode, ...rest } = drained;
  return {
    ...rest,
    node: nodes.name(node),
    startsAt: momentOf(startsAt),
    endsAt: momentOf(endsAt),
    withoutNode: some(withoutNode, MAX_WITHOUT_NODE, ({ pod, replacement }) => ({
      namespace: pods.namespace(pod),
      name: pods.name(pod),
      why: replacement.never === undefined ? (replacement.refusal?.message.text ?? null) : WAITS_FOR_ORDINAL,
    })),
  };
}

export function drainedPodResponse(
  { pods, nodes }: ClusterState,
  matches: BudgetMatches,
  plan: DrainPlan,
  drained: DrainedPod,
  asOf: Date,
): DrainedPodResponse {
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
    budgets: drained.guards.slice(0, MAX_BUDGETS).map((budget) => budgetKey(matches, budget)),
    eviction: firstTry === undefined ? null : evictionReviewResponse(firstTry),
    noExecute: noExecuteResponse(noExecute, asOf),
    difference: difference ?? null,
    rolling: rolling === undefined ? null : rollingPodResponse(nodes, rolling),
  };
}

function evictionReviewResponse(firstTry: FirstTry): EvictionReviewResponse {
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

function noExecuteResponse(
  { action, afterSeconds, taint, toleration }: NoExecuteOutcome,
  asOf: Date,
): NoExecuteResponse {
  const seconds = action === 'now' ? 0 : afterSeconds;
  return {
    action,
    afterSeconds,
    at: seconds === null ? null : momentOf(asOf.getTime() + seconds * 1000),
    taint: taintResponse(taint),
    toleration,
  };
}

function rollingPodResponse(
  nodes: ClusterState['nodes'],
  { outcome, evictedAt, goneAt, tries, round, replacement }: RollingPod,
): RollingPodResponse {
  return {
    outcome,
    evictedAt: momentOf(evictedAt),
    goneAt: momentOf(goneAt),
    tries: tries ?? null,
    round: round ?? null,
    replacement: replacement === undefined ? null : replacementResponse(nodes, replacement),
  };
}

function replacementResponse(nodes: ClusterState['nodes'], replacement: RollingReplacement): ReplacementResponse {
  const { at, never, verdict, node, landedAt, readyAt, refusal, unknownBecause = [] } = replacement;
  return {
    verdict: verdict ?? null,
    never: never ?? null,
    at: momentOf(at),
    node: node === undefined ? null : nodes.name(node),
    landedAt: momentOf(landedAt),
    readyAt: momentOf(readyAt),
    message: refusal?.message.text ?? null,
    unknownBecause: unknownBecause.map(({ code, message }) => ({ code, message })),
  };
}
