import { defined } from '../collections/defined.js';
import type { Pod, PodStatus } from '../kubernetes/objects/pod.js';
import { without } from '../collections/without.js';

/** A pod without a node and without times, as its controller would create it again. */
export function unbound({ metadata, spec, ...pod }: Pod): Pod {
  return {
    ...pod,
    metadata: without(metadata, 'deletionTimestamp', 'deletionGracePeriodSeconds'),
    spec: without(spec, 'nodeName'),
    status: { ...kept(pod.status), phase: 'Pending' },
  };
}

/** A pod that runs on a node; one that is already running keeps its status. */
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

/** The fields of a status that do not depend on the node: resource claims and the QoS class. */
function kept(status: PodStatus | undefined): PodStatus {
  const { qosClass, resourceClaimStatuses, extendedResourceClaimStatus } = status ?? {};
  return {
    ...defined({ qosClass, resourceClaimStatuses, extendedResourceClaimStatus }),
  };
}
