import type { PlacementGroup } from '../node-groups.js';
import type { Placement } from '../placement.js';
import type { FixPlan, NodeFix, OwnedPart, PodFix } from './fix.js';
import { triedFixesFor } from './fixes-for.js';
import { PodTrials } from './pod-trials.js';

/** What would admit the pod to nodes of a group. */
export interface GroupFixes {
  /** The node that the changes were made for. */
  readonly evaluatedOn: number;
  readonly pod: GroupFixPlan<PodFix> | null;
  readonly node: GroupFixPlan<NodeFix> | null;
  readonly owned: readonly OwnedPart[];
}

export interface GroupFixPlan<F> extends FixPlan<F> {
  /** How many nodes of the group have the verdict of the plan after it; null of a change of the node, which is one node's. */
  readonly nodes: number | null;
}

/**
 * The changes that would admit the pod to the node of the group that is nearest to taking it. The pod as changed is evaluated on all
 * nodes of the group, so that it is known how many of them it brings.
 */
export function fixesForGroup(
  placement: Placement,
  { nodes, nearest }: PlacementGroup,
  trials = new PodTrials(placement),
): GroupFixes {
  const { fixes, tried } = triedFixesFor(placement, nearest, trials);
  const { pod, node, owned } = fixes;
  return {
    evaluatedOn: nearest,
    pod: pod === null ? null : { ...pod, nodes: countAfter(pod) },
    node: node === null ? null : { ...node, nodes: null },
    owned,
  };

  function countAfter({ verdict }: NonNullable<typeof pod>): number {
    if (nodes.length === 1 || tried?.outcome !== 'admitted') return nodes.length;
    const { evaluation } = tried;
    return nodes.reduce((count, member) => (evaluation.verdict(member) === verdict ? count + 1 : count), 0);
  }
}
