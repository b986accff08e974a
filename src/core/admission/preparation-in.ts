import type { ClusterState } from '../cluster/cluster-state.js';
import type { PriorityClass, RuntimeClass } from '../kubernetes/objects/scheduling.js';
import type { PreparationContext } from './prepare-pod.js';

/** What preparing a pod needs of a cluster, as one state of it has it. */
export function preparationIn(state: ClusterState): PreparationContext {
  return {
    runtimeClassesLoaded: state.loadedKinds.has('RuntimeClass'),
    findRuntimeClass: (name) => state.find('RuntimeClass', undefined, name) as RuntimeClass | undefined,
    priorityClasses: state.loadedKinds.has('PriorityClass')
      ? (state.objects('PriorityClass') as readonly PriorityClass[])
      : undefined,
  };
}
