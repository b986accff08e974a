import type { ClusterState } from '../cluster/cluster-state.js';
import type { DrainDifference, DrainQuestion } from './drain-plan.js';

/** What the times of a rolling drain rest on, in sentences. */
export function drainAssumptions(state: ClusterState, { options, rolling }: DrainQuestion): readonly string[] {
  const { gracePeriodSeconds, timeoutSeconds } = options;
  const grace =
    gracePeriodSeconds < 0
      ? 'A pod takes the whole of its terminationGracePeriodSeconds to go'
      : `A pod takes ${gracePeriodSeconds} s to go`;
  return [
    'All nodes are cordoned before the first is drained, so no replacement lands on one of them.',
    options.disableEviction
      ? 'Pods are deleted, and no budget is asked.'
      : 'kubectl asks for all pods of a node at once, and again every 5 s while the answer is 429.',
    `${grace}; one that has ended goes at once. On a node whose Ready condition is Unknown it never goes, unless the node is marked out of service.`,
    `A replacement finds a place and is ready ${rolling.replacementReadySeconds} s after it is made: made at once by a ReplicaSet, ` +
      'ReplicationController or Job, after the old pod is gone by a StatefulSet or any other controller, never for a pod without one.',
    'The disruption controller keeps up with every change, and pods that are not ready now stay so.',
    timeoutSeconds > 0
      ? `kubectl gives a node up after ${timeoutSeconds} s and goes on to the next.`
      : 'kubectl waits for ever; a node that cannot be drained holds up those after it.',
    ...(state.loadedKinds.has('DaemonSet')
      ? []
      : ['No DaemonSet is stored: those that pods name as their controllers are taken to exist.']),
  ];
}

/** In what a drain and NoExecute differ, in sentences. */
export const DRAIN_DIFFERENCES: Readonly<Record<DrainDifference, string>> = {
  daemonSetPodStays:
    'kubectl drain leaves the pods of DaemonSets alone; NoExecute takes those that do not tolerate the taint, and the DaemonSet controller makes none there while it stands.',
  budgetNotAsked:
    'A PodDisruptionBudget refuses the eviction now and kubectl waits; the taint eviction controller deletes pods and asks no budget.',
  refusedByKubectl:
    'kubectl refuses to begin because of the pod (no controller, an emptyDir, a DaemonSet); NoExecute takes it without asking, data and all.',
  mirrorPod:
    'kubectl passes over a mirror pod; NoExecute deletes its object, and the kubelet makes that again while the static pod runs on.',
  tolerated: 'The drain takes the pod; NoExecute does not, for it tolerates the taints for ever.',
  later: 'The drain takes the pod at once; NoExecute only when its tolerationSeconds are over.',
  notSelected: '--pod-selector leaves the pod out of the drain; a taint has no such selector.',
  skippedAsDeleted:
    'The pod is being deleted for so long that kubectl waits for it no more; NoExecute deletes it once again.',
};
