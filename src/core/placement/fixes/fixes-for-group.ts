import { NOTHING } from '../../collections/nothing.js';
import type { NodeEvaluation } from '../node-evaluation.js';
import type { PlacementGroup } from '../node-groups.js';
import type { Placement } from '../placement.js';
import type { ClaimFix, FixPlan, NodeFix, OwnedPart, PodFix } from './fix.js';
import { stepTriedFixesFor } from './fixes-for.js';
import { PodTrials } from './pod-trials.js';

/** What would admit the pod to nodes of a group. */
export interface GroupFixes {
  /** The node that the changes were made for. */
  readonly evaluatedOn: number;
  readonly pod: GroupFixPlan<PodFix> | null;
  readonly node: GroupFixPlan<NodeFix> | null;
  readonly claim: GroupFixPlan<ClaimFix> | null;
  readonly owned: readonly OwnedPart[];
}

export interface GroupFixPlan<F> extends FixPlan<F> {
  /** How many nodes of the group have the verdict of the plan after it; null of a change of the node, which is one node's. */
  readonly nodes: number | null;
}

/**
 * The changes that would admit the pod to the node of the group that is nearest to taking it. The pod as changed, and the pod with its
 * claims as changed, is evaluated on all nodes of the group, so that it is known how many of them it brings. Pauses meanwhile.
 */
export function* stepFixesForGroup(
  placement: Placement,
  { nodes, nearest }: PlacementGroup,
  trials = new PodTrials(placement),
): Generator<undefined, GroupFixes> {
  const { fixes, tried, triedClaims } = yield* stepTriedFixesFor(placement, nearest, trials);
  const { pod, node, claim, owned } = fixes;
  const ofPod = tried?.outcome === 'admitted' ? tried.evaluation : undefined;
  return {
    evaluatedOn: nearest,
    pod: pod === null ? null : { ...NOTHING, ...pod, nodes: yield* stepCountAfter(nodes, pod, ofPod) },
    node: node === null ? null : { ...NOTHING, ...node, nodes: null },
    claim: claim === null ? null : { ...NOTHING, ...claim, nodes: yield* stepCountAfter(nodes, claim, triedClaims) },
    owned,
  };
}

function* stepCountAfter(
  nodes: readonly number[],
  { verdict }: Pick<FixPlan<never>, 'verdict'>,
  evaluation: NodeEvaluation | undefined,
): Generator<undefined, number> {
  if (nodes.length === 1 || evaluation === undefined) return nodes.length;
  let count = 0;
  for (const [turn, member] of nodes.entries()) {
    if (turn % STRIDE === STRIDE - 1) yield;
    if (evaluation.verdict(member) === verdict) count++;
  }
  return count;
}

/** Nodes whose verdicts are asked for in one step. */
const STRIDE = 512;
