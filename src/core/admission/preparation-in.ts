import type { ClusterState } from '../cluster/cluster-state.js';
import type { PreparationContext } from './prepare-pod.js';
import { admissionConfigurationIn, surroundingsIn } from './surroundings-in.js';

/** A pod that comes new is not being deleted, so the time makes no difference to it. */
const ANY_TIME = 0;

/** What preparing a pod of a namespace needs of a cluster, as one state of it has it. */
export function preparationIn(state: ClusterState, namespace: string): PreparationContext {
  return {
    surroundings: surroundingsIn(state, namespace, ANY_TIME),
    configuration: admissionConfigurationIn(state),
  };
}
