import type { featureGatesInput } from '../../contract/common/pod-subject.js';
import type { Request } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { defined } from '../../core/collections/defined.js';
import { faultOfGate } from '../../core/kubernetes/cluster-version.js';
import { FieldPath } from '../../core/kubernetes/field-path.js';
import { withGates, type KubernetesRules } from '../../core/kubernetes/kubernetes-rules.js';

/** The feature gates of a question; the others are those of its cluster. */
export type AskedGates = Request<typeof featureGatesInput>;
import { InvalidRequestError } from '../errors/invalid-request-error.js';

/** States by their rules, for the state that they were made from, so that what is kept by state is found again. */
const known = new WeakMap<ClusterState, Map<KubernetesRules, ClusterState>>();

/**
 * A state under the feature gates of a question.
 * @param at the field of the request that has them; null if they are fields of their own
 * @throws {InvalidRequestError} if no component of that version starts with DRADeviceTaintRules on
 */
export function stateUnderGates(
  state: ClusterState,
  gates: AskedGates | undefined,
  at: FieldPath | null = FieldPath.of('featureGates'),
): ClusterState {
  if (gates === undefined) return state;
  const rules = rulesUnderGates(state.rules, gates);
  const name = 'DRADeviceTaintRules';
  if (gates[name] === true && !rules.featureGates[name]) {
    const { minor, featureGates } = rules;
    const fault = faultOfGate(name, true, minor, featureGates);
    const field = at?.child(name) ?? FieldPath.of(name);
    const message = `${fault}; declare DRADeviceTaints=true for the cluster if it is on there`;
    throw new InvalidRequestError([{ field: field.toString(), pointer: field.toPointer(), code: 'invalid', message }]);
  }
  return stateUnder(state, rules);
}

/** The same under the gates of a recorded question: what does not apply by now is ignored. */
export const stateUnderRecordedGates = (state: ClusterState, gates: AskedGates | undefined): ClusterState =>
  gates === undefined ? state : stateUnder(state, rulesUnderGates(state.rules, gates));

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
