import type { PlacementGroup } from '../node-groups.js';
import type { Placement } from '../placement.js';
import { reevaluatePod } from '../reevaluate.js';
import type { FixPlan, NodeFix, OwnedPart, PodFix, Readmit } from './fix.js';
import { fixesFor } from './fixes-for.js';

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
export function fixesForGroup(placement: Placement, { nodes, nearest }: PlacementGroup, readmit?: Readmit): GroupFixes {
  const { pod, node, owned } = fixesFor(placement, nearest, readmit);
  return {
    evaluatedOn: nearest,
    pod: pod === null ? null : { ...pod, nodes: countAfter(pod) },
    node: node === null ? null : { ...node, nodes: null },
    owned,
  };

  function countAfter({ changed, verdict, refusal }: NonNullable<typeof pod>): number {
    if (nodes.length === 1 || refusal !== null) return nodes.length;
    const after = reevaluatePod(placement, changed);
    return nodes.reduce((count, member) => (after.verdict(member) === verdict ? count + 1 : count), 0);
  }
}
