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

/** A node where the pod would fit if some pods went. */
export interface PreemptionCandidate {
  readonly node: number;
  /** The pods that have to go, by index, the most important first. */
  readonly victims: readonly number[];
  /** How many of them a PodDisruptionBudget does not allow to be disrupted: pods, not budgets. */
  readonly pdbViolations: number;
  /** The priority of the most important victim. */
  readonly highestPriority: number;
  /** The sum of the victims' priorities, each counted from -2^31. */
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

/** What makes every priority count as at least 1, so that fewer victims are better also where priorities are negative. */
const OFFSET = 2 ** 31;

/**
 * The fewest pods of a node that have to go for the pod to fit: all of strictly lower priority, also those that end already, are taken
 * away, and then, if it fits, brought back
 * one by one as long as it goes on to fit; first those whose eviction would break a budget, in both parts the most important first.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go, `SelectVictimsOnNode`.
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
  // Places are in order of importance.
  if (pdbViolations > 0 && gone.length > pdbViolations) gone.sort((a, b) => a - b);
  return candidate(node, ranked, gone, pdbViolations);
}

/**
 * Brings the pods from one place to before another back, but for those that have to be `gone`.
 *
 * @returns false where the node would still not be known to pass: then nothing can be said of it
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
