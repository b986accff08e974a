import type { ClusterState } from '../cluster/cluster-state.js';
import {
  ERROR,
  SUCCESS,
  UNKNOWN,
  UNRESOLVABLE,
  type PreFilterExtensions,
  type StatusCode,
} from '../placement/plugin.js';
import type { BudgetsInTheWay } from './budgets-in-the-way.js';
import type { MakeExtensions } from './placement-extensions.js';
import { rankedPods, type RankedPods } from './ranked-pods.js';

/** A node on which the pod would fit after evictions. */
export interface PreemptionCandidate {
  readonly node: number;
  /** The pods to evict, by index, the most important first. */
  readonly victims: readonly number[];
  /** The number of victims (not of budgets) that a PodDisruptionBudget does not allow to be disrupted. */
  readonly pdbViolations: number;
  /** The priority of the most important victim. */
  readonly highestPriority: number;
  /** The sum of the victims' priorities, each increased by 2^31. */
  readonly prioritySum: number;
}

/** Why preemption does not help on a node. */
export interface NoVictims {
  readonly code: StatusCode;
  readonly messages: readonly string[];
}

const NO_VICTIMS: NoVictims = {
  code: UNRESOLVABLE,
  messages: ['No preemption victims found for incoming pod'],
};

const NOT_KNOWN: NoVictims = { code: UNKNOWN, messages: [] };

/** Added to each priority, which makes it at least 0, so that fewer victims are also better if priorities are negative. */
const OFFSET = 2 ** 31;

/**
 * The fewest pods of a node to evict so that the pod fits. All pods of lower priority are removed, including those that are
 * already terminating. If the pod then fits, they are added back one by one as long as it still fits: first those whose
 * eviction would violate a budget, then the others, the most important first in both parts.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go,
 * `SelectVictimsOnNode`.
 */
export function selectVictims(
  state: ClusterState,
  node: number,
  priority: number,
  {
    makeExtensions,
    budgets,
    now,
  }: { readonly makeExtensions: MakeExtensions; readonly budgets: BudgetsInTheWay; readonly now: number },
): PreemptionCandidate | NoVictims {
  const ranked = rankedPods(state, node, now);
  const from = ranked.from(priority);
  const { length } = ranked.pods;
  if (from === length) return NO_VICTIMS;
  const extensions = makeExtensions(node, ranked.pods);
  if (extensions.removePodsFrom !== undefined) extensions.removePodsFrom(from);
  else for (let place = from; place < length; place++) extensions.removePod(place);
  const code = extensions.status();
  if (code !== SUCCESS) return { code, messages: extensions.messages() };

  const violating = budgets.violating(ranked, node, from);
  const gone: number[] = [];
  for (const place of violating) if (!reprieve(extensions, place, place + 1, gone)) return NOT_KNOWN;
  const pdbViolations = gone.length;
  let next = from;
  for (const place of violating) {
    if (!reprieve(extensions, next, place, gone)) return NOT_KNOWN;
    next = place + 1;
  }
  if (!reprieve(extensions, next, length, gone)) return NOT_KNOWN;
  if (gone.length === 0) {
    const name = JSON.stringify(state.nodes.name(node));
    return { code: ERROR, messages: [`expected at least one victim pod on node ${name}`] };
  }
  // Ranks are in order of importance.
  if (pdbViolations > 0 && gone.length > pdbViolations) gone.sort((a, b) => a - b);
  return candidate(node, ranked, gone, pdbViolations);
}

/**
 * Adds back the pods with ranks from `from` up to but not including `to`, except those that must go, which are added to
 * `gone`.
 *
 * @returns false if a filter's result is unknown, which makes the node's result unknown
 */
function reprieve(extensions: PreFilterExtensions, from: number, to: number, gone: number[]): boolean {
  if (extensions.addPassingPods !== undefined) {
    extensions.addPassingPods(from, to, gone);
    return true;
  }
  for (let place = from; place < to; place++) {
    extensions.addPod(place);
    const status = extensions.status();
    if (status === SUCCESS) continue;
    if (status === UNKNOWN) return false;
    extensions.removePod(place);
    gone.push(place);
  }
  return true;
}

function candidate(
  node: number,
  { pods, priorities }: RankedPods,
  places: readonly number[],
  pdbViolations: number,
): PreemptionCandidate {
  const victims: number[] = [];
  let prioritySum = places.length * OFFSET;
  for (const place of places) {
    victims.push(pods[place]!);
    prioritySum += priorities[place]!;
  }
  return { node, victims, pdbViolations, highestPriority: priorities[places[0]!]!, prioritySum };
}
