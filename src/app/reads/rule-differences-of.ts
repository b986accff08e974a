import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { declaredVersionIn, gatesNotEvaluated } from '../../core/cluster/declared-version.js';
import { ruleDifferences, type RuleDifference } from '../../core/kubernetes/versions.js';

const differencesOf = new WeakMap<ClusterState, Map<string | null, readonly RuleDifference[]>>();

/** The differences between a cluster and the rules of its state that can affect pods; the same for all of them. */
export function possibleDifferences(state: ClusterState, kubernetesVersion: string | null): readonly RuleDifference[] {
  let ofState = differencesOf.get(state);
  if (ofState === undefined) differencesOf.set(state, (ofState = new Map<string | null, readonly RuleDifference[]>()));
  let found = ofState.get(kubernetesVersion);
  if (found === undefined) {
    const ofVersion = kubernetesVersion === null ? undefined : ruleDifferences(kubernetesVersion, state.rules);
    ofState.set(kubernetesVersion, (found = [...(ofVersion ?? []), ...gateDifferences(state)]));
  }
  return found;
}

/** Feature gates of the cluster that can decide about pods, and that no rule reads. */
function gateDifferences(state: ClusterState): readonly RuleDifference[] {
  const { minor } = state.rules;
  return gatesNotEvaluated(declaredVersionIn(state)?.featureGates ?? {}, minor).map(([gate, enabled]) => ({
    code: 'feature-gate-not-evaluated',
    since: `1.${minor}`,
    message: `The cluster sets the feature gate ${gate} to ${enabled}; what it changes is not evaluated.`,
    touches: () => true,
  }));
}
