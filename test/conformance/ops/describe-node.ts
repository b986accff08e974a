import { describeNodeResources } from '../../../src/core/kubectl-text/describe-node.js';
import { hasEnded } from '../../../src/core/kubernetes/has-ended.js';
import type { Node } from '../../../src/core/kubernetes/objects/node.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';
import { allocationTable, shownAllocatable } from '../../../src/core/allocation/allocation-table.js';
import { podAmounts } from '../../../src/core/allocation/pod-share.js';
import type { Op } from '../op.js';

export const describeNode: Op = {
  answer: (input) => {
    const { node, pods } = input as unknown as { node: Node; pods: readonly Pod[] };
    const shares = pods
      .filter((pod) => pod.spec.nodeName === node.metadata.name && !hasEnded(pod))
      .map((pod) => ({
        namespace: pod.metadata.namespace ?? '',
        name: pod.metadata.name,
        creationTimestamp: pod.metadata.creationTimestamp ?? '',
        ...podAmounts(pod),
      }));
    return describeNodeResources(allocationTable(shownAllocatable(node.status), shares), { now: 0 });
  },
};
