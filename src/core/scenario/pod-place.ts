import { defined } from '../collections/defined.js';
import type { Pod, PodStatus } from '../kubernetes/objects/pod.js';
import { without } from './without.js';

/** A pod that is not bound to a node, as its controller would replace it: without a node, and without times. */
export function unbound({ metadata, spec, ...pod }: Pod): Pod {
  return {
    ...pod,
    metadata: without(metadata, 'deletionTimestamp', 'deletionGracePeriodSeconds'),
    spec: without(spec, 'nodeName'),
    status: { ...kept(pod.status), phase: 'Pending' },
  };
}

/** A pod that runs on a node; one that runs already keeps what it reports of itself. */
export function boundTo(pod: Pod, nodeName: string): Pod {
  const { status = {} } = pod;
  const { phase } = status;
  const runs = phase === 'Running' || phase === 'Unknown';
  return {
    ...pod,
    spec: { ...pod.spec, nodeName },
    status: { ...(runs ? without(status, 'nominatedNodeName') : kept(status)), phase: runs ? phase : 'Running' },
  };
}

/** What a pod's status says wherever the pod is: its claims, and its class. */
function kept(status: PodStatus | undefined): PodStatus {
  const { qosClass, resourceClaimStatuses, extendedResourceClaimStatus } = status ?? {};
  return {
    ...defined({ qosClass, resourceClaimStatuses, extendedResourceClaimStatus }),
  };
}
