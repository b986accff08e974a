import type { featureGatesInput } from '../../contract/common/pod-subject.js';
import type { Request } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { withGates } from '../../core/kubernetes/kubernetes-rules.js';

/** For each state, the one with the gate DRADeviceTaintRules the other way round, so that what is kept by state is found again. */
const known = new WeakMap<ClusterState, ClusterState>();

/** A state under the feature gates of a question. */
export function stateUnderGates(
  state: ClusterState,
  gates: Pick<Request<typeof featureGatesInput>, 'DRADeviceTaintRules'> = {},
): ClusterState {
  const { DRADeviceTaintRules: wanted = state.rules.featureGates.DRADeviceTaintRules } = gates;
  const rules = withGates(state.rules, { DRADeviceTaintRules: wanted });
  if (rules === state.rules) return state;
  let other = known.get(state);
  if (other === undefined) known.set(state, (other = state.under(rules)));
  return other;
}
