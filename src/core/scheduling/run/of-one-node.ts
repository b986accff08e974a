import type { Pod } from '../../kubernetes/objects/pod.js';
import { NAME as NODE_AFFINITY } from '../../placement/plugins/node-affinity/node-affinity.js';
import { NAME as FEATURES } from '../../placement/plugins/node-declared-features/node-declared-features.js';
import { NAME as NODE_NAME } from '../../placement/plugins/node-name/node-name.js';
import { NAME as FIT } from '../../placement/plugins/node-resources-fit/node-resources-fit.js';
import { NAME as CORDON } from '../../placement/plugins/node-unschedulable/node-unschedulable.js';
import { NAME as TAINTS } from '../../placement/plugins/taint-toleration/taint-toleration.js';

/**
 * Filters whose answer for a node hangs on that node alone, and on nothing of its pods but what they request: the fit; of the others
 * not even that.
 */
export const OF_ONE_NODE: ReadonlySet<string> = new Set([CORDON, NODE_NAME, TAINTS, NODE_AFFINITY, FIT, FEATURES]);

/** Whether a pod says anything of other pods. Terms that only score count, too: where they cannot be read, no node is chosen. */
export const mindsOthers = ({ spec }: Pod): boolean =>
  spec.affinity?.podAffinity !== undefined ||
  spec.affinity?.podAntiAffinity !== undefined ||
  (spec.topologySpreadConstraints ?? []).length > 0;
