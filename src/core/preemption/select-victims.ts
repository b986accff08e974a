import type { ClusterState } from '../cluster/cluster-state.js';
import { ERROR, SUCCESS, UNKNOWN, UNRESOLVABLE, type StatusCode } from '../placement/plugin.js';
import type { BudgetsInTheWay } from './budgets-in-the-way.js';
import type { MakeTrial } from './placement-trials.js';
import { rankedPods } from './ranked-pods.js';

/** A node where the pod would fit if some pods went. */
export interface PreemptionCandidate {
  readonly node: number;
  /** The pods that have to go, by index, the most important first. */
  readonly victims: readonly number[];
  /** How many of them a PodDisruptionBudget does not allow to be disrupted: pods, not budgets. */
  readonly pdbViolations: number;
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
    makeTrial,
    budgets,
    now,
  }: { readonly makeTrial: MakeTrial; readonly budgets: BudgetsInTheWay; readonly now: number },
): PreemptionCandidate | NoVictims {
  const ranked = rankedPods(state, node, now);
  const from = ranked.from(priority);
  if (from === ranked.pods.length) return NO_VICTIMS;
  const trial = makeTrial(node, ranked.pods);
  for (let place = from; place < ranked.pods.length; place++) trial.remove(place);
  const code = trial.status();
  if (code !== SUCCESS) return { code, messages: trial.messages() };
  const { violating, others } = budgets.split(ranked, from);
  const victims: number[] = [];
  /** Whether the pod would still not be known to fit: then nothing can be said of the node. */
  const reprieve = (place: number): 'stays' | 'goes' | 'unknown' => {
    if (trial.addIfPassing !== undefined) {
      if (trial.addIfPassing(place)) return 'stays';
      victims.push(place);
      return 'goes';
    }
    trial.add(place);
    const status = trial.status();
    if (status === SUCCESS) return 'stays';
    if (status === UNKNOWN) return 'unknown';
    trial.remove(place);
    victims.push(place);
    return 'goes';
  };
  let pdbViolations = 0;
  for (const place of violating) {
    const fate = reprieve(place);
    if (fate === 'unknown') return { code: UNKNOWN, messages: [] };
    if (fate === 'goes') pdbViolations += 1;
  }
  for (const place of others) if (reprieve(place) === 'unknown') return { code: UNKNOWN, messages: [] };
  if (victims.length === 0) {
    const name = JSON.stringify(state.nodes.name(node));
    return { code: ERROR, messages: [`expected at least one victim pod on node ${name}`] };
  }
  // Places are in order of importance.
  if (violating.length > 0 && others.length > 0) victims.sort((a, b) => a - b);
  return { node, victims: victims.map((place) => ranked.pods[place]!), pdbViolations };
}
