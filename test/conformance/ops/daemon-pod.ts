import { daemonPod as podFor, nodeShouldRunDaemonPod } from '../../../src/core/kubernetes/daemon-pod.js';
import type { Node } from '../../../src/core/kubernetes/objects/node.js';
import type { Toleration } from '../../../src/core/kubernetes/objects/taints.js';
import type { DaemonSet } from '../../../src/core/kubernetes/objects/workloads.js';
import { DEFAULT_GATES } from '../../../src/core/kubernetes/toleration.js';
import type { Op } from '../op.js';

export const daemonPod: Op = {
  answer: (input) => {
    const { daemonSet, node } = input as unknown as { daemonSet: DaemonSet; node: Node };
    const { tolerations, affinity } = podFor(daemonSet, node.metadata.name).spec;
    return {
      tolerations: tolerations?.map(withoutEmptyStrings),
      affinity: withoutEmptyLists(affinity),
      ...nodeShouldRunDaemonPod(daemonSet, node, DEFAULT_GATES),
    };
  },
};

/** A toleration as Go writes it. */
const withoutEmptyStrings = (toleration: Toleration): object =>
  Object.fromEntries(Object.entries(toleration).filter(([, value]) => value !== ''));

/** An affinity as Go writes it: empty lists and an empty `matchLabels` are left out, other empty objects stay. */
function withoutEmptyLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyLists);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, member]) =>
      member !== null &&
      !(Array.isArray(member) && member.length === 0) &&
      !(key === 'matchLabels' && Object.keys(member as object).length === 0),
  );
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutEmptyLists(member)]));
}
