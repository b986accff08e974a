import { comparePodNames } from '../cluster/compare-pod-names.js';
import { defined } from '../collections/defined.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { gracePeriodOf, storedReach, type NodeReach } from '../eviction/departure.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { budgetKey, type BudgetMatches } from '../disruption/budget-matches.js';
import { budgetStanding, type BudgetStanding } from '../disruption/budget-standing.js';
import type { BudgetStatus } from '../disruption/budget-status.js';
import { drainAssumptions } from './drain-assumptions.js';
import type {
  BlockingBudget,
  DrainDifference,
  DrainedNode,
  DrainedPod,
  DrainPlan,
  DrainQuestion,
  FirstTry,
  NoExecuteOutcome,
  RollingReplacement,
} from './drain-plan.js';
import { drainDecision, drainMessages, type DrainContext, type DrainDecision } from '../disruption/drain-filters.js';
import { guardOf, isBudgetIgnored, reviewEviction, type EvictedPod } from '../disruption/eviction-review.js';
import { LiveBudget } from './live-budget.js';
import { noExecuteOutcome, withNoExecute } from './no-execute-outcome.js';
import { Rescheduler } from '../rescheduling/rescheduler.js';
import type { ReschedulingEvent } from '../rescheduling/rescheduling.js';
import { withUnschedulableTaint } from '../taint-change/unschedulable-taint.js';
import { ReplacementRecords } from './replacement-records.js';
import {
  stepRollingDrain,
  type NodeToDrain,
  type PodToDrain,
  type RollingAnswer,
  type RollingNode,
} from './rolling-drain.js';
import { undecidedText, type DrainFacts } from './undecided-text.js';
import { stateScaleSource } from '../disruption/state-scale-source.js';

/** Pods between two steps of the generator. */
const STRIDE = 128;
/** The number of reasons that are given for one node. */
const MAX_REASONS = 10;
/** The same for assembling the results. */
const ROWS_A_TURN = 512;

/** The result for a pod before the rolling drain. */
type PodRow = Omit<DrainedPod, 'rolling'>;

/** What the rolling drain says of a node. */
type NodeEnd = Pick<DrainedNode, 'outcome' | 'startsAt' | 'endsAt' | 'rounds' | 'withoutNode' | 'unknownBecause'>;

/** The result for a node before the rolling drain, and the pods that it evicts. */
interface NodeRow {
  readonly shown: Omit<DrainedNode, keyof NodeEnd>;
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
  const { options, rolling, now, gates } = question;
  const records = new ReplacementRecords((pod) => state.pods.workload(pod));
  const rescheduler = yield* Rescheduler.open(state, { gates, readiness: 'byEvent' }, records);
  for (const node of question.nodes) yield* rescheduler.take(cordonOf(state, node, now));
  const rolled = yield* stepRollingDrain({
    nodes: nodes.map(({ shown, leaving }): NodeToDrain => ({ node: shown.node, starts: shown.starts, pods: leaving })),
    budgets: live,
    rescheduler,
    records,
    rolling,
    disableEviction: options.disableEviction,
    timeoutSeconds: options.timeoutSeconds,
    skipWaitForDeleteTimeoutSeconds: options.skipWaitForDeleteTimeoutSeconds,
    now,
  });
  const { assumptions } = yield* rescheduler.finish();
  const budgetName = (budget: number): string => budgetKey(matches, budget);
  const facts = { state, budgets: live, records, nodes: question.nodes, budgetKey: budgetName };
  const drained: DrainedNode[] = [];
  for (const [place, { shown, leaving }] of nodes.entries()) {
    if (place % STRIDE === STRIDE - 1) yield undefined;
    drained.push({ ...shown, ...nodeOutcome(rolled.nodes[place]!, leaving, facts) });
  }
  const ends = drained.map(({ endsAt }) => endsAt);
  const endsAt = ends.every((end) => end !== undefined) ? Math.max(now, ...ends) : undefined;
  const pods: DrainedPod[] = [];
  const differences = new Map<DrainDifference, number>();
  for (const [index, row] of rows.entries()) {
    if (index % ROWS_A_TURN === ROWS_A_TURN - 1) yield undefined;
    const fate = rolled.pods.get(index);
    const replacement = fate?.outcome === 'evicted' ? records.of(row.pod) : undefined;
    pods.push(fate === undefined ? row : { ...row, rolling: { ...fate, ...defined({ replacement }) } });
    const { difference } = row;
    if (difference !== undefined) differences.set(difference, (differences.get(difference) ?? 0) + 1);
  }
  return {
    nodes: drained,
    pods,
    budgets: survey.budgets,
    blocking: blockingBudgets(rolled, live, rows),
    differences,
    assumptions: [...drainAssumptions(state, question), ...assumptions.map(({ message }) => message)],
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
    const ordered = [...nodes.podsOf(node)].sort((a, b) => comparePodNames(pods, a, b));
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
      leaving.push(this.leavingPod(pod, evicted, guards, { object, row: rows.length, reach }));
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
    pod: number,
    evicted: EvictedPod,
    guards: readonly number[],
    { object, row, reach }: { readonly object: Pod; readonly row: number; readonly reach: NodeReach },
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
      pod,
      row,
      guards,
      healthy: evicted.ready && !evicted.terminating && !disrupted,
      graceMs: grace * 1000,
      endedBy: grace === 0 && deletionTimestamp === undefined ? 'apiServer' : enderOn(reach),
      deletedAt: deletionTimestamp === undefined ? undefined : Date.parse(deletionTimestamp),
    };
  }
}

const enderOn = ({ reachable, outOfService }: NodeReach): PodToDrain['endedBy'] =>
  reachable ? 'kubelet' : outOfService ? 'podGarbageCollector' : 'nobody';

/** What kubectl cordon and then the node lifecycle controller do to a node. */
function cordonOf({ nodes }: ClusterState, node: number, at: number): ReschedulingEvent {
  const taints = withUnschedulableTaint(nodes.node(node).spec?.taints ?? [], true, undefined);
  return { kind: 'taints', at, node, taints, unschedulable: true };
}

/** How the node's drain ends, now that it is known where the replacements of its pods are. */
function nodeOutcome(
  { undecided = [], ...rolled }: RollingNode,
  leaving: readonly PodToDrain[],
  facts: DrainFacts,
): NodeEnd {
  const withoutNode: { readonly pod: number; readonly replacement: RollingReplacement }[] = [];
  const unknownBecause = new Set(undecided.map((cause) => undecidedText(cause, facts)));
  let hasUnknown = undecided.length > 0;
  for (const { pod } of leaving) {
    const replacement = facts.records.of(pod);
    if (replacement === undefined) continue;
    if (replacement.verdict === 'none' || replacement.never === 'waitsForLowerOrdinal') {
      withoutNode.push({ pod, replacement });
    }
    if (replacement.verdict === 'unknown') {
      hasUnknown = true;
      if (unknownBecause.size < MAX_REASONS) {
        unknownBecause.add(undecidedText({ what: 'replacement', pod }, facts));
      }
    }
  }
  const outcome =
    rolled.outcome !== 'drained'
      ? rolled.outcome
      : withoutNode.length > 0
        ? 'podsPending'
        : hasUnknown
          ? 'unknown'
          : 'drained';
  return { ...rolled, outcome, withoutNode, unknownBecause: [...unknownBecause] };
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
  { waiting, pods: fates }: RollingAnswer,
  live: ReadonlyMap<number, LiveBudget>,
  rows: readonly PodRow[],
): readonly BlockingBudget[] {
  const blocking = [...waiting].map(([budget, pods]): BlockingBudget => ({
    budget,
    why: pods.some((row) => fates.get(row)?.outcome === 'unknown') ? 'unknown' : live.get(budget)!.blocks,
    pods: pods.length,
    nodes: new Set(pods.map((row) => rows[row]!.node)).size,
  }));
  return blocking.sort((a, b) => b.pods - a.pods || a.budget - b.budget);
}
