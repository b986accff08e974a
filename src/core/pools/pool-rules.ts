import { sameValue } from '../json/same-value.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { Namespace } from '../kubernetes/objects/namespace.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { admitToPools, type PoolAdmission } from './admit-to-pools.js';
import type { Pool } from './pool.js';
import { poolsIn } from './pools-in.js';
import { newPoolRefusals, poolRefusals, type PoolRefusal } from './refuse-intruder.js';

/** The rules of a state's pools for a pod, used by the webhook and by dry admission. */
export interface PoolRules {
  /** The new pod with the additions of its pools; the same pod if there are none. */
  readonly add: (pod: Pod) => PoolAdmission<Pod>;
  /**
   * The pools that refuse a pod. A pod that replaces another is refused only for what the former pod did not have.
   *
   * @param former the replaced pod
   */
  readonly refusals: (pod: Pod, former: Pod | undefined) => readonly PoolRefusal[];
}

/** The rules of a state's pools; undefined without pools. */
export function poolRulesIn(state: ClusterState, gates: TolerationGates): PoolRules | undefined {
  const pools = poolsIn(state);
  return pools.length === 0 ? undefined : rulesOf(pools, state, gates);
}

function rulesOf(pools: readonly Pool[], state: ClusterState, gates: TolerationGates): PoolRules {
  return {
    add(pod) {
      const admitted = admitToPools(pools, pod, namespaceOf(state, pod), gates);
      return admitted.pod !== pod && sameValue(admitted.pod.spec, pod.spec) ? { ...admitted, pod } : admitted;
    },
    refusals(pod, former) {
      const namespace = namespaceOf(state, pod);
      const found = poolRefusals(state, pools, pod, namespace, gates);
      if (former === undefined || found.length === 0) return found;
      return newPoolRefusals(poolRefusals(state, pools, former, namespace, gates), found);
    },
  };
}

/** The stored namespace: unknown labels are not guessed. */
const namespaceOf = (state: ClusterState, { metadata }: Pod): Namespace | undefined =>
  state.find('Namespace', undefined, metadata.namespace ?? 'default') as Namespace | undefined;
