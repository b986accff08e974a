import { readTaintOwnership } from '../../core/kubernetes/schema/taint-ownership.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { replanChange } from '../../core/taint-change/replan-change.js';
import type { RecordedNodeChange } from '../../core/taint-change/undo-change.js';
import type { Decision, LiveNode, NodeWrite } from '../../kube-api/taint-writer/taint-writer.js';
import { ownedReasons } from './owned-taints.js';

/** The part of a node's write that follows from the change: it is planned again on the node as it is, and leaves taints of others alone. */
export function writeOf(
  node: string,
  change: RecordedNodeChange,
  force: boolean,
): Pick<NodeWrite, 'node' | 'decide' | 'touches'> {
  const { added, removed, changed, cordon } = change.difference;
  const decide = (live: LiveNode): Decision => {
    const planned = replanChange(live, change);
    if (planned.outcome !== 'write' || force) return planned;
    const reasons = ownedReasons(live, readTaintOwnership(live as unknown as JsonObject), planned.rest);
    return reasons.length > 0 ? { outcome: 'refused', reasons } : planned;
  };
  return {
    node,
    decide,
    touches: [
      ...(added.length + removed.length + changed.length > 0 && cordon === undefined ? (['taints'] as const) : []),
      ...(cordon === undefined ? [] : (['unschedulable'] as const)),
    ],
  };
}
