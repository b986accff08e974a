import { defined } from '../collections/defined.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { gracePeriodOf, storedReach, type NodeReach } from '../eviction/departure.js';
import { compare } from '../json/compare.js';
import { hasEnded } from '../kubernetes/has-ended.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import type { BudgetMatches } from '../disruption/budget-matches.js';
import { budgetStanding, type BudgetStanding } from '../disruption/budget-standing.js';
import type { BudgetStatus } from '../disruption/budget-status.js';
import { controllerOf } from '../kubernetes/controller-of.js';
import { drainAssumptions } from './drain-assumptions.js';
import type {
  BlockingBudget,
  BlockReason,
  DrainDifference,
  DrainedNode,
  DrainedPod,
  DrainPlan,
  DrainQuestion,
  FirstTry,
  NoExecuteOutcome,
} from './drain-plan.js';
import { drainDecision, drainMessages, type DrainContext, type DrainDecision } from '../disruption/drain-filters.js';
import { guardOf, isBudgetIgnored, reviewEviction, type EvictedPod } from '../disruption/eviction-review.js';
import { LiveBudget } from './live-budget.js';
import { noExecuteOutcome, withNoExecute } from './no-execute-outcome.js';
import { stepRollingDrain, type NodeToDrain, type PodToDrain, type RollingAnswer } from './rolling-drain.js';
import { stateScaleSource } from '../disruption/state-scale-source.js';

/** Pods between two steps of the generator. */
const STRIDE = 128;
/** The same for assembling the results. */
const ROWS_A_TURN = 4096;

/** The result for a pod before the rolling drain. */
type PodRow = Omit<DrainedPod, 'rolling'>;

/** The result for a node before the rolling drain, and the pods that it evicts. */
interface NodeRow {
  readonly shown: Omit<DrainedNode, 'outcome' | 'startsAt' | 'endsAt' | 'rounds'>;
  readonly leaving: readonly PodToDrain[];
}

/**
 * Compares draining nodes with a NoExecute taint. For each pod: kubectl's decision, the Eviction API's response now,
 * and the taint eviction controller's action; then the nodes drained one after another.
 *
 * Sources: k8s.io/kubectl v0.36.2, pkg/drain; k8s.io/kubernetes v1.36.2, pkg/registry/core/pod/storage/eviction.go,
 * pkg/controller/disruption/disruption.go, pkg/controller/tainteviction/taint_eviction.go.
 */
export function* stepDrainPlan(
  state: ClusterState,
  matches: BudgetMatches,
  question: DrainQuestion,
): Generator<undefined, DrainPlan> {
  const survey = new NodeSurvey(state, matches, question);
  const rows: PodRow[] = [];
  const nodes: NodeRow[] = [];
  for (const [place, node] of question.nodes.entries()) {
    nodes.push(yield* survey.stepNode(node, place, rows));
    yield undefined;
  }
  const live = new Map([...survey.budgets].map(([budget, standing]) => [budget, new LiveBudget(standing)]));
  const { options, rolling, now } = question;
  const rolled = yield* stepRollingDrain({
    nodes: nodes.map(({ shown, leaving }): NodeToDrain => ({ starts: shown.starts, pods: leaving })),
    budgets: live,
    rolling,
    disableEviction: options.disableEviction,
    timeoutSeconds: options.timeoutSeconds,
    skipWaitForDeleteTimeoutSeconds: options.skipWaitForDeleteTimeoutSeconds,
    now,
  });
  const drained = nodes.map(({ shown }, place): DrainedNode => ({ ...shown, ...rolled.nodes[place]! }));
  const ends = drained.map(({ endsAt }) => endsAt);
  const endsAt = ends.every((end) => end !== undefined) ? Math.max(now, ...ends) : undefined;
  const pods: DrainedPod[] = [];
  const differences = new Map<DrainDifference, number>();
  for (const [index, row] of rows.entries()) {
    if (index % ROWS_A_TURN === ROWS_A_TURN - 1) yield undefined;
    const fate = rolled.pods.get(index);
    pods.push(fate === undefined ? row : { ...row, rolling: fate });
    const { difference } = row;
    if (difference !== undefined) differences.set(difference, (differences.get(difference) ?? 0) + 1);
  }
  return {
    nodes: drained,
    pods,
    budgets: survey.budgets,
    blocking: blockingBudgets(rolled, live, rows),
    differences,
    assumptions: drainAssumptions(state, question),
    ...defined({ endsAt }),
  };
}

/** Evaluates the pods of one node after another. */
class NodeSurvey {
  /** The budgets found so far. */
  readonly budgets = new Map<number, BudgetStanding>();
  private readonly source;
  private readonly context: DrainContext;
  /** By the NoExecute taints of a node's taint set, then by toleration set. */
  private readonly outcomes = new Map<
    number,
    { readonly taints: readonly Taint[]; readonly byTolerations: Map<number, NoExecuteOutcome> }
  >();

  constructor(
    private readonly state: ClusterState,
    private readonly matches: BudgetMatches,
    private readonly question: DrainQuestion,
  ) {
    this.source = stateScaleSource(state);
    this.context = {
      options: question.options,
      now: question.now,
      daemonSetExists: (namespace, name) =>
        !state.loadedKinds.has('DaemonSet') || state.find('DaemonSet', namespace, name) !== undefined,
    };
  }

  *stepNode(node: number, place: number, rows: PodRow[]): Generator<undefined, NodeRow> {
    const { pods, nodes } = this.state;
    const { options } = this.question;
    const ordered = [...nodes.podsOf(node)].sort(
      (a, b) => compare(pods.namespace(a), pods.namespace(b)) || compare(pods.name(a), pods.name(b)),
    );
    const decided: { pod: string; decision: DrainDecision }[] = [];
    const leaving: PodToDrain[] = [];
    const statuses = new Map<number, BudgetStatus>();
    const reach = storedReach(nodes.node(node));
    const counts = { pods: ordered.length, selected: 0, toDelete: 0, refusedNow: 0, now: 0, after: 0, never: 0 };
    for (const [i, pod] of ordered.entries()) {
      if (i % STRIDE === STRIDE - 1) yield undefined;
      const noExecute = this.noExecute(node, pod);
      counts[noExecute.action] += 1;
      const guards = this.matches.guarding(pod);
      const selected = options.podSelector.matches(pods.labels(pod));
      if (!selected) {
        rows.push({ pod, node: place, guards, noExecute, difference: 'notSelected' });
        continue;
      }
      counts.selected += 1;
      const object = pods.pod(pod);
      const decision = drainDecision(object, this.context);
      decided.push({ pod: pods.key(pod), decision });
      if (!decision.delete) {
        const difference = differenceOf(decision, undefined, noExecute);
        rows.push({ pod, node: place, decision, guards, noExecute, ...defined({ difference }) });
        continue;
      }
      counts.toDelete += 1;
      const evicted = this.evictedPod(pod);
      const firstTry = options.disableEviction ? undefined : this.firstTry(evicted, guards, statuses);
      if (firstTry !== undefined && 'review' in firstTry && !firstTry.review.allowed) counts.refusedNow += 1;
      const difference = differenceOf(decision, firstTry, noExecute);
      leaving.push(this.leavingPod(evicted, object, guards, rows.length, reach));
      rows.push({
        pod,
        node: place,
        decision,
        guards,
        ...defined({ firstTry }),
        noExecute,
        ...defined({ difference }),
      });
    }
    const messages = drainMessages(decided);
    const shown = {
      node,
      starts: messages.errors.length === 0,
      ...messages,
      counts,
      kubeletSilent: !reach.reachable,
    };
    return { shown, leaving };
  }

  private noExecute(node: number, pod: number): NoExecuteOutcome {
    const { nodes, pods, taintSets, tolerationSets } = this.state;
    const { taint, gates } = this.question;
    const taintSet = nodes.taintSetId(node);
    let known = this.outcomes.get(taintSet);
    if (known === undefined) {
      known = {
        taints: withNoExecute(taintSets[taintSet]!, taint),
        byTolerations: new Map<number, NoExecuteOutcome>(),
      };
      this.outcomes.set(taintSet, known);
    }
    const set = pods.tolerationSetId(pod);
    let outcome = known.byTolerations.get(set);
    if (outcome === undefined) {
      outcome = noExecuteOutcome(tolerationSets[set]!, known.taints, gates);
      known.byTolerations.set(set, outcome);
    }
    return outcome;
  }

  /** The Eviction API's response after the node's earlier pods. `statuses` are the budgets' statuses after those. */
  private firstTry(evicted: EvictedPod, guards: readonly number[], statuses: Map<number, BudgetStatus>): FirstTry {
    const { now } = this.question;
    if (guards.length !== 1 || isBudgetIgnored(evicted)) {
      const several = guards.map((budget) => guardOf(this.matches.budgets[budget]!));
      return { review: reviewEviction(evicted, several, now), basedOn: 'computed' };
    }
    const [budget] = guards as [number];
    const { budget: object, sync, stored } = this.standing(budget);
    const status = statuses.get(budget) ?? (sync.outcome === 'unknown' ? stored : sync.status);
    if (status === undefined) return { unknown: sync.outcome === 'unknown' ? sync.reason : '' };
    const review = reviewEviction(evicted, [guardOf(object, status)], now);
    if (review.allowed && review.status !== undefined) statuses.set(budget, review.status);
    return { review, basedOn: sync.outcome === 'unknown' ? 'stored' : 'computed' };
  }

  private standing(budget: number): BudgetStanding {
    let standing = this.budgets.get(budget);
    if (standing === undefined) {
      standing = budgetStanding(this.state, this.matches, budget, this.source, this.question.now);
      this.budgets.set(budget, standing);
    }
    return standing;
  }

  private evictedPod(pod: number): EvictedPod {
    const { pods } = this.state;
    return { name: pods.name(pod), phase: pods.phase(pod), terminating: pods.terminating(pod), ready: pods.ready(pod) };
  }

  private leavingPod(
    evicted: EvictedPod,
    object: Pod,
    guards: readonly number[],
    row: number,
    reach: NodeReach,
  ): PodToDrain {
    const { deletionTimestamp } = object.metadata;
    const disrupted = guards.some((budget) => {
      const { sync } = this.standing(budget);
      return sync.outcome === 'synced' && sync.status.disruptedPods.has(evicted.name);
    });
    const flag = this.question.options.gracePeriodSeconds;
    const grace = gracePeriodOf(object, flag < 0 ? undefined : flag);
    return {
      evicted,
      row,
      guards,
      healthy: evicted.ready && !evicted.terminating && !disrupted,
      graceMs: grace * 1000,
      endedBy: grace === 0 && deletionTimestamp === undefined ? 'apiServer' : enderOn(reach),
      deletedAt: deletionTimestamp === undefined ? undefined : Date.parse(deletionTimestamp),
      replaced: replacementOf(object),
    };
  }
}

const enderOn = ({ reachable, outOfService }: NodeReach): PodToDrain['endedBy'] =>
  reachable ? 'kubelet' : outOfService ? 'podGarbageCollector' : 'nobody';

/** These create a replacement as soon as one of their pods is being deleted. */
const AT_ONCE: ReadonlySet<string> = new Set(['ReplicaSet', 'ReplicationController', 'Job']);

function replacementOf(pod: Pod): PodToDrain['replaced'] {
  const controller = controllerOf(pod.metadata.ownerReferences);
  if (controller === undefined || hasEnded(pod)) return 'never';
  return AT_ONCE.has(controller.kind) ? 'atOnce' : 'whenGone';
}

function differenceOf(
  decision: DrainDecision,
  firstTry: FirstTry | undefined,
  { action }: NoExecuteOutcome,
): DrainDifference | undefined {
  const leaves = action !== 'never';
  if (!decision.delete) {
    if (!leaves) return undefined;
    if (decision.reason === 'Error') return 'refusedByKubectl';
    if (decision.check === 'daemonSet') return 'daemonSetPodStays';
    return decision.check === 'mirrorPod' ? 'mirrorPod' : 'skippedAsDeleted';
  }
  if (!leaves) return 'tolerated';
  if (firstTry !== undefined && 'review' in firstTry && !firstTry.review.allowed) return 'budgetNotAsked';
  return action === 'after' ? 'later' : undefined;
}

function blockingBudgets(
  { waiting }: RollingAnswer,
  live: ReadonlyMap<number, LiveBudget>,
  rows: readonly PodRow[],
): readonly BlockingBudget[] {
  const blocking = [...waiting].map(([budget, pods]): BlockingBudget => ({
    budget,
    why: live.get(budget)?.blocks ?? ('unknown' satisfies BlockReason),
    pods: pods.length,
    nodes: new Set(pods.map((row) => rows[row]!.node)).size,
  }));
  return blocking.sort((a, b) => b.pods - a.pods || a.budget - b.budget);
}
