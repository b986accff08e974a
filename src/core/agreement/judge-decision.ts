import type { ClusterState } from '../cluster/cluster-state.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import { FEASIBLE, INFEASIBLE, type Placement } from '../placement/placement.js';
import type { Assumption } from '../placement/plugin.js';
import { bestOf, uncertainScores, type Ranking } from '../placement/rank-nodes.js';
import { schedulingCycle, type CycleOutcome } from '../preemption/scheduling-cycle.js';
import type { PodDecision } from './decision.js';
import {
  agreed,
  listed,
  MOST_LISTED,
  notKnown,
  textDifference,
  type AgreementRule,
  type Difference,
  type Judgement,
} from './judgement.js';
import { feasibleNodesToFind, schedulerIn, type KnownScheduler } from './scheduler-in.js';

/** Without these, no decision can be understood. */
const NEEDED: readonly KeptKind[] = ['Node', 'Pod'];

/**
 * Compares a scheduler's decision about a pod with ours on the state in which it was made: one judgement for each rule that it touches.
 *
 * @param state without the decision
 * @param now milliseconds since the epoch
 */
export function judgeDecision(state: ClusterState, decision: PodDecision, now: number): readonly Judgement[] {
  const rule = decision.what === 'bound' ? 'filter' : 'message';
  const missing = NEEDED.filter((kind) => !state.loadedKinds.has(kind));
  if (missing.length > 0) return [notKnown(rule, 'kindsNotLoaded', `no snapshot contained ${missing.join(' and ')}`)];
  const scheduler = schedulerIn(state, decision.schedulerName);
  if (scheduler === undefined) {
    const name = JSON.stringify(decision.schedulerName);
    return [notKnown(rule, 'schedulerNotKnown', `no profile for the scheduler ${name} is declared`)];
  }
  if (scheduler.hasExtenders) return [notKnown(rule, 'extenders', 'extenders of the scheduler decide besides')];
  const judged =
    decision.what === 'bound'
      ? judgeBinding(state, decision, scheduler, now)
      : judgeMessage(state, decision, scheduler, now);
  if (decision.what === 'told' || decision.wasSeen || judged.every(({ outcome }) => outcome === 'agreed'))
    return judged;
  return judged.map((one) => {
    if (one.outcome !== 'disagreed') return one;
    const text = `the pod came with its node, and may have been created with it: ${one.text}`;
    return notKnown(one.rule, 'cameBound', text, one.difference);
  });
}

function judgeBinding(
  state: ClusterState,
  decision: PodDecision,
  scheduler: KnownScheduler,
  now: number,
): readonly Judgement[] {
  const { asked, node: name } = decision;
  const node = state.nodes.indexOf(name);
  if (node < 0) return [disagreed('filter', `the state has no node ${name}`, { node: name }, [])];
  const cycle = schedulingCycle(state, asked, scheduler.profile, now);
  if (cycle.outcome === 'error') return [agreed('filter'), notKnown('score', 'schedulerFailed', cycle.message)];
  const { placement } = cycle;
  const { assumptions } = placement;
  if (placement.verdicts[node] !== FEASIBLE) {
    const refusals = refusalsOf(placement, node);
    const words = refusals.map(({ plugin, message }) => (plugin === '' ? message : `${plugin}: ${message}`)).join('; ');
    const difference = { node: name, refusals };
    if (placement.verdicts[node] === INFEASIBLE) {
      return [disagreed('filter', `${name} was chosen, and is refused: ${words}`, difference, assumptions)];
    }
    return [notKnown('filter', unknownOf(placement, node), `whether ${name} is feasible is not known: ${words}`)];
  }
  if (cycle.outcome === 'unplaced') return [agreed('filter')];
  if (cycle.ranking === undefined) {
    if (cycle.best.includes(node)) return [agreed('filter')];
    const best = cycle.best.map((index) => state.nodes.name(index));
    const text = `${name} was chosen, and the pod is nominated to ${listed(best)}, which is feasible`;
    return [agreed('filter'), disagreed('score', text, { node: name, best }, assumptions)];
  }
  return [agreed('filter'), judgeScore(state, node, cycle.ranking, scheduler, placement)];
}

function judgeScore(
  state: ClusterState,
  node: number,
  ranking: Ranking,
  { percentage }: KnownScheduler,
  placement: Placement,
): Judgement {
  const position = ranking.nodes.indexOf(node);
  const positions = bestOf(ranking);
  if (placement.counts.unknown > 0) {
    return notKnown('score', unknownOf(placement), 'whether other nodes are feasible is not known');
  }
  const uncertain = uncertainScores(ranking);
  if (uncertain.length > 0) return notKnown('score', 'pluginNotKnown', `scores of ${listed(uncertain)} are not known`);
  if (positions.includes(position)) return agreed('score');
  const difference = scoreDifference(state, ranking, position, positions);
  const { best = [], total = 0, bestTotal = 0, scores = [] } = difference;
  const parts = scores.map(({ plugin, chosen, best: greatest }) => `${plugin} ${chosen} to ${greatest}`);
  const name = state.nodes.name(node);
  const text = `${name} was chosen with a total of ${total}, ${bestTotal - total} behind ${listed(best)} with ${bestTotal}: ${parts.join(', ')}`;
  const excluded = placement.plugins.length === 0 ? 0 : excludedNodes(placement);
  const scored = feasibleNodesToFind(state.nodes.count - excluded, percentage);
  if (ranking.nodes.length > scored) {
    return notKnown('score', 'sampled', `of ${ranking.nodes.length} feasible nodes, ${scored} are scored: ${text}`);
  }
  const assumes = [...placement.assumptions, ...ranking.plugins.flatMap((plugin) => plugin.assumes)];
  return disagreed('score', text, difference, assumes);
}

function scoreDifference(
  state: ClusterState,
  ranking: Ranking,
  position: number,
  positions: readonly number[],
): Difference {
  const [first = 0] = positions;
  const scores = ranking.plugins.flatMap(({ name: plugin, weight, scores: given }) => {
    if (given === undefined) return [];
    const [chosen, best] = [given.normalized[position]! * weight, given.normalized[first]! * weight];
    return chosen === best ? [] : [{ plugin, chosen, best }];
  });
  return {
    node: state.nodes.name(ranking.nodes[position]!),
    best: positions.slice(0, MOST_LISTED).map((one) => state.nodes.name(ranking.nodes[one]!)),
    total: ranking.totals[position]!,
    bestTotal: ranking.totals[first]!,
    scores,
  };
}

function excludedNodes(placement: Placement): number {
  const { count } = placement.state.nodes;
  let excluded = 0;
  for (let node = 0; node < count; node++) if (placement.isExcluded(node)) excluded++;
  return excluded;
}

/** How Kubernetes before v1.34 named a taint that is not tolerated. */
const NAMED_TAINT = 'had untolerated taint {';

function judgeMessage(
  state: ClusterState,
  decision: PodDecision,
  scheduler: KnownScheduler,
  now: number,
): readonly Judgement[] {
  const { reason, message: theirs } = decision.told!;
  const cycle = schedulingCycle(state, decision.asked, scheduler.profile, now);
  const ours = wordsOf(cycle);
  const judged: Judgement[] = [];
  if (cycle.outcome === 'placed') {
    const feasible = cycle.placement.counts.feasible;
    const names = cycle.best.slice(0, MOST_LISTED).map((node) => state.nodes.name(node));
    const text = `the pod fits on ${feasible} ${feasible === 1 ? 'node' : 'nodes'}, first of all ${listed(names)}, and was told: ${theirs}`;
    const difference = { best: names, theirs };
    return [
      reason === 'SchedulerError'
        ? notKnown('message', 'schedulerFailed', text, difference)
        : disagreed('message', text, difference, cycle.placement.assumptions),
    ];
  }
  // Budgets matter only where a pod may be evicted.
  const helps = cycle.outcome === 'unplaced' && cycle.preemption.potentialNodes.length > 0;
  const assumes =
    cycle.outcome === 'error' ? [] : [...cycle.placement.assumptions, ...(helps ? cycle.preemption.assumes : [])];
  if (ours === theirs) judged.push(agreed('message'));
  else if (ours === undefined) {
    const because = cycle.outcome === 'unplaced' ? unknownOf(cycle.placement) : 'pluginNotKnown';
    judged.push(notKnown('message', because, 'what is not known could change the words'));
  } else {
    const difference = textDifference(ours, theirs);
    const { differsAt } = difference;
    const text = `from character ${differsAt + 1} on, ours is ${JSON.stringify(excerpt(ours, differsAt))}, and the pod was told ${JSON.stringify(excerpt(theirs, differsAt))}`;
    if (reason === 'SchedulerError') judged.push(notKnown('message', 'schedulerFailed', text, difference));
    else if (theirs.includes(NAMED_TAINT)) judged.push(notKnown('message', 'otherVersion', text, difference));
    else judged.push(disagreed('message', text, difference, assumes));
  }
  if (decision.nominated !== undefined && cycle.outcome === 'unplaced') {
    judged.push(judgeNomination(state, decision.nominated, cycle));
  }
  return judged;
}

/** Upstream tries a tenth of the nodes on which preemption may help, but at least so many. */
const LEAST_CANDIDATES = 100;

function judgeNomination(
  state: ClusterState,
  nominated: string,
  { preemption, placement }: Extract<CycleOutcome, { outcome: 'unplaced' }>,
): Judgement {
  if (preemption.outcome === 'unknown') {
    return notKnown('preemption', unknownOf(placement), 'what preemption comes to is not known');
  }
  const nameOf = ({ node }: { readonly node: number }): string => state.nodes.name(node);
  const best = preemption.outcome === 'nominated' ? preemption.tied.map(nameOf) : [];
  if (best.includes(nominated)) return agreed('preemption');
  const difference = { node: nominated, best: best.slice(0, MOST_LISTED) };
  const instead = best.length === 0 ? 'preemption does not help on any node' : `the cheapest are ${listed(best)}`;
  const text = `the pod was nominated to ${nominated}, and ${instead}`;
  if (preemption.candidates.map(nameOf).includes(nominated) && preemption.potentialNodes.length > LEAST_CANDIDATES) {
    return notKnown('preemption', 'sampled', text, difference);
  }
  const node = state.nodes.indexOf(nominated);
  if (node >= 0 && isArbitrary(state, node, placement.input.pod.spec.priority ?? 0)) {
    const why = `so many pods of ${nominated} have started at the same time, or not, that which of them go is arbitrary`;
    return notKnown('preemption', 'momentNotKnown', `${why}: ${text}`, difference);
  }
  return disagreed('preemption', text, difference, preemption.assumes);
}

/** Up to so many pods, Go's sort keeps the order of equal ones. */
const SORTED_STABLY = 12;

/** Whether the order in which pods of a node are spared depends on chance: they are sorted by priority and start. */
function isArbitrary({ nodes, pods }: ClusterState, node: number, priority: number): boolean {
  const lower = [...nodes.podsOf(node)].filter((pod) => pods.active(pod) && pods.priority(pod) < priority);
  const starts = new Set(lower.map((pod) => `${pods.priority(pod)} ${pods.startedAt(pod)}`));
  return lower.length > SORTED_STABLY && starts.size < lower.length;
}

/** What the pod's condition would say. */
function wordsOf(cycle: CycleOutcome): string | undefined {
  if (cycle.outcome === 'placed') return undefined;
  if (cycle.outcome === 'error') return cycle.message;
  return cycle.preemption.outcome === 'unknown' ? undefined : cycle.message.text;
}

/** A disagreement, unless a kind that no snapshot contained may explain it. */
function disagreed(
  rule: AgreementRule,
  text: string,
  difference: Difference,
  assumes: readonly Assumption[],
): Judgement {
  if (assumes.length === 0) return { rule, outcome: 'disagreed', text, difference };
  const kinds = [...new Set(assumes.map(({ kind }) => kind))].sort();
  return notKnown(rule, 'kindsNotLoaded', `no snapshot contained ${kinds.join(', ')}: ${text}`, difference);
}

/** The reasons against a node: those of the first filter that refuses it come first. */
function refusalsOf(placement: Placement, node: number): { readonly plugin: string; readonly message: string }[] {
  const { reasons } = placement.explainNode(node);
  return [...reasons]
    .sort((a, b) => Number(b.first) - Number(a.first))
    .slice(0, MOST_LISTED)
    .map(({ plugin, message }) => ({ plugin, message }));
}

/** What leaves a verdict unknown. */
function unknownOf(placement: Placement, node?: number): 'kindsNotLoaded' | 'pluginNotKnown' {
  const nodes = node === undefined ? unknownNodes(placement) : [node];
  const isMissing = nodes.some((one) =>
    placement.explainNode(one).reasons.some(({ code }) => code === 'KindNotLoaded' || code === 'RuntimeClassNotFound'),
  );
  return isMissing ? 'kindsNotLoaded' : 'pluginNotKnown';
}

function unknownNodes({ verdicts }: Placement): readonly number[] {
  for (let node = 0; node < verdicts.length; node++) {
    if (verdicts[node] !== FEASIBLE && verdicts[node] !== INFEASIBLE) return [node];
  }
  return [];
}

const EXCERPT = 120;
/** A text around a position. */
function excerpt(text: string, at: number): string {
  const start = Math.max(0, at - 20);
  const part = text.slice(start, start + EXCERPT);
  return (start > 0 ? '…' : '') + part + (start + EXCERPT < text.length ? '…' : '');
}
