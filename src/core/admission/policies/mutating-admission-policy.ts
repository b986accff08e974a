import type { ClusterState } from '../../cluster/cluster-state.js';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
} from '../../kubernetes/objects/admission-policies.js';
import type { Namespace } from '../../kubernetes/objects/namespace.js';
import { mayApply } from './match-request.js';
import { namespaceLabels } from './namespace-object.js';
import { policyRequestOf, type SentToPolicies } from './pod-request.js';

export const NAME = 'MutatingAdmissionPolicy';

const BINDING = 'MutatingAdmissionPolicyBinding';

/**
 * Whether a MutatingAdmissionPolicy of the cluster may change a pod: one applies to it, or not all of them are known.
 *
 * @param namespace of the pod; undefined where it is not known
 */
export function mayBeChangedByPolicies(
  state: ClusterState,
  sent: SentToPolicies,
  namespace: Namespace | undefined,
): boolean {
  const policies = state.objects(NAME) as readonly MutatingAdmissionPolicy[];
  const bindings = state.objects(BINDING) as readonly MutatingAdmissionPolicyBinding[];
  const isNone = (kind: typeof NAME | typeof BINDING, count: number): boolean =>
    state.loadedKinds.has(kind) && count === 0;
  if (isNone(NAME, policies.length) || isNone(BINDING, bindings.length)) return false;
  if (!state.loadedKinds.has(NAME) || !state.loadedKinds.has(BINDING)) return true;
  const labels = namespace === undefined ? undefined : namespaceLabels(namespace);
  const request = policyRequestOf(sent);
  return policies.some((policy) => mayApply(policy, bindings, request, labels));
}
