import type { featureGatesInput } from '../../contract/common/pod-subject.js';
import type { Request } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { defined } from '../../core/collections/defined.js';
import { withGates, type KubernetesRules } from '../../core/kubernetes/kubernetes-rules.js';

/** The feature gates of a question; the others are those of its cluster. */
export type AskedGates = Request<typeof featureGatesInput>;

/** States by their rules, for the state that they were made from, so that what is kept by state is found again. */
const known = new WeakMap<ClusterState, Map<KubernetesRules, ClusterState>>();

/** A state under the feature gates of a question. */
export function stateUnderGates(state: ClusterState, gates: AskedGates | undefined): ClusterState {
  return gates === undefined ? state : stateUnder(state, rulesUnderGates(state.rules, gates));
}

/** A state in which DeviceTaintRules count, whatever version and gates its cluster has. */
export const stateWithTaintRules = (state: ClusterState): ClusterState =>
  stateUnder(state, withGates(state.rules, { DRADeviceTaintRules: true, DRADeviceTaints: true }));

function stateUnder(state: ClusterState, rules: KubernetesRules): ClusterState {
  if (rules === state.rules) return state;
  let others = known.get(state);
  if (others === undefined) known.set(state, (others = new Map<KubernetesRules, ClusterState>()));
  let other = others.get(rules);
  if (other === undefined) others.set(rules, (other = state.under(rules)));
  return other;
}

/** Rules under the feature gates of a question. */
export const rulesUnderGates = (
  rules: KubernetesRules,
  { DRADeviceTaintRules, TaintTolerationComparisonOperators }: AskedGates = {},
): KubernetesRules => withGates(rules, defined({ DRADeviceTaintRules, TaintTolerationComparisonOperators }));
