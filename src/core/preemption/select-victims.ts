import type { ClusterState } from '../cluster/cluster-state.js';
import { ERROR, SUCCESS, UNKNOWN, UNRESOLVABLE, type NodeTrial, type StatusCode } from '../placement/plugin.js';
import type { BudgetsInTheWay } from './budgets-in-the-way.js';
import { byImportance } from './by-importance.js';

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

/** The pods on a node that a pod of some priority may preempt: those of a strictly lower one, also while they are being deleted. */
export function preemptiblePods({ pods, nodes }: ClusterState, node: number, priority: number): number[] {
  const found: number[] = [];
  for (const pod of nodes.podsOf(node)) if (pods.priority(pod) < priority && pods.active(pod)) found.push(pod);
  return found;
}

/**
 * The fewest pods of a node that have to go for the pod to fit: all of lower priority are taken away, and then, if it fits, brought back
 * one by one as long as it goes on to fit; first those whose eviction would break a budget, in both parts the most important first.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go, `SelectVictimsOnNode`.
 */
export function selectVictims(
  state: ClusterState,
  node: number,
  priority: number,
  { trial, budgets, now }: { readonly trial: NodeTrial; readonly budgets: BudgetsInTheWay; readonly now: number },
): PreemptionCandidate | NoVictims {
  const potential = preemptiblePods(state, node, priority);
  if (potential.length === 0) return NO_VICTIMS;
  for (const pod of potential) trial.remove(pod);
  const code = trial.status();
  if (code !== SUCCESS) return { code, messages: trial.messages() };
  const { violating, others } = budgets.split(byImportance(state.pods, potential, now));
  const victims: number[] = [];
  /** Whether the pod would still not be known to fit: then nothing can be said of the node. */
  const reprieve = (pod: number): 'stays' | 'goes' | 'unknown' => {
    trial.add(pod);
    const status = trial.status();
    if (status === SUCCESS) return 'stays';
    if (status === UNKNOWN) return 'unknown';
    trial.remove(pod);
    victims.push(pod);
    return 'goes';
  };
  let pdbViolations = 0;
  for (const pod of violating) {
    const fate = reprieve(pod);
    if (fate === 'unknown') return { code: UNKNOWN, messages: [] };
    if (fate === 'goes') pdbViolations += 1;
  }
  for (const pod of others) if (reprieve(pod) === 'unknown') return { code: UNKNOWN, messages: [] };
  if (victims.length === 0) {
    const name = JSON.stringify(state.nodes.name(node));
    return { code: ERROR, messages: [`expected at least one victim pod on node ${name}`] };
  }
  const isMixed = violating.length > 0 && others.length > 0;
  return { node, victims: isMixed ? byImportance(state.pods, victims, now) : victims, pdbViolations };
}
