import type { ClusterState } from '../cluster/cluster-state.js';
import type { DrainDifference, DrainQuestion } from './drain-plan.js';

/** The assumptions behind the times of a rolling drain. */
export function drainAssumptions(state: ClusterState, { options, rolling }: DrainQuestion): readonly string[] {
  const { gracePeriodSeconds, timeoutSeconds } = options;
  const grace =
    gracePeriodSeconds < 0
      ? 'A pod takes its full terminationGracePeriodSeconds to terminate'
      : `A pod takes ${gracePeriodSeconds} s to terminate`;
  return [
    'All nodes are cordoned before the first is drained, so only replacements that tolerate the cordon are placed on them.',
    options.disableEviction
      ? 'Pods are deleted, which bypasses budgets.'
      : 'kubectl requests the eviction of all pods of a node together, and retries every 5 s while the response is 429.',
    `${grace}; a pod that has ended is gone immediately. On a node whose Ready condition is Unknown a pod never terminates, unless the node is marked out of service.`,
    `A replacement is placed immediately if there is a node, and is ready ${rolling.replacementReadySeconds} s after it is placed. ` +
      'A replacement without a node replenishes no budget.',
    'The disruption controller processes every change immediately. Pods that are not ready now remain so, and so do their replacements.',
    timeoutSeconds > 0
      ? `kubectl gives up on a node after ${timeoutSeconds} s and continues with the next.`
      : 'kubectl waits forever; a node that cannot be drained blocks those after it.',
    ...(state.loadedKinds.has('DaemonSet')
      ? []
      : ['No DaemonSet is stored: those that pods name as their controllers are assumed to exist.']),
  ];
}

/** How a drain and NoExecute differ. */
export const DRAIN_DIFFERENCES: Readonly<Record<DrainDifference, string>> = {
  daemonSetPodStays:
    'kubectl drain ignores DaemonSet pods. NoExecute deletes those that do not tolerate the taint, and the DaemonSet controller creates none on the node while the taint is set.',
  budgetNotAsked:
    'A PodDisruptionBudget refuses the eviction now, and kubectl waits. The taint eviction controller deletes pods regardless of budgets.',
  refusedByKubectl:
    'kubectl refuses to start because of the pod (no controller, an emptyDir, a DaemonSet). NoExecute deletes the pod and its local data.',
  mirrorPod:
    'kubectl skips mirror pods. NoExecute deletes the object, and the kubelet creates it again while the static pod keeps running.',
  tolerated: 'The drain evicts the pod. NoExecute does not, because the pod tolerates the taints without a time limit.',
  later: 'The drain evicts the pod immediately; NoExecute only after its tolerationSeconds.',
  notSelected: '--pod-selector excludes the pod from the drain; a taint has no such selector.',
  skippedAsDeleted:
    'The pod has been terminating for so long that kubectl no longer waits for it. NoExecute deletes it again.',
};
