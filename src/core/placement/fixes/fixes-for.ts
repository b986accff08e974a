import { defined } from '../../collections/defined.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import { evaluateNode, type EvaluationQuestion } from '../evaluate-placement.js';
import type { NodeExplanation, RankedReason } from '../node-explanation.js';
import type { Placement } from '../placement.js';
import type { FixPlan, NodeFixes } from './fix.js';
import { changeNode } from './node-fixes.js';
import { changePod } from './pod-fixes.js';

/** A plan of more changes than this is no advice to anybody, and making it costs their square. */
const MAX_CHANGES = 32;

/**
 * The smallest changes that would admit the pod to a node that refuses it: of the pod alone, and of the node alone. Each
 * is made on paper and the node evaluated again by the same filters; what then still stands in the way is listed, so a
 * plan whose verdict is not `feasible` is only part of the way. Where too much would have to change nothing is proposed.
 */
export function fixesFor(
  placement: Placement,
  node: number,
  filterNames: readonly string[] | undefined = placement.input.filterNames,
): NodeFixes {
  const { state, input } = placement;
  const { reasons } = placement.explainNode(node);
  if (reasons.reduce((count, reason) => count + changesFor(reason), 0) > MAX_CHANGES) return { pod: null, node: null };
  const question = (pod: Pod): EvaluationQuestion => sameQuestion(placement, pod, filterNames);
  const byPod = changePod(state, node, input.pod, reasons);
  const byNode = changeNode(state.nodes.node(node), reasons);
  const changedState = byNode.fixes.length === 0 ? state : state.apply({ upserts: [byNode.node] });
  return {
    pod:
      byPod.fixes.length === 0
        ? null
        : { ...plan(byPod.fixes, evaluateNode(state, question(byPod.pod), node)), changed: byPod.pod },
    node:
      byNode.fixes.length === 0
        ? null
        : { ...plan(byNode.fixes, evaluateNode(changedState, question(input.pod), node)), changed: byNode.node },
  };
}

/** What was asked, of another pod. */
export function sameQuestion(
  { input, podReasons }: Placement,
  pod: Pod,
  filterNames: readonly string[] | undefined = input.filterNames,
): EvaluationQuestion {
  return {
    pod,
    gates: input.gates,
    filters: input.filters,
    ...defined({ filterNames }),
    unknowns: podReasons.filter(({ status }) => status === 'Unknown'),
  };
}

/** How much there is to change at least: of several terms the one that is nearest. */
function changesFor(reason: RankedReason): number {
  if (reason.code !== 'NodeAffinityMismatch') return 1;
  const sizes = reason.facts.terms.map(({ unmet }) => unmet.length).filter((size) => size > 0);
  return sizes.length === 0 ? 1 : sizes.reduce((least, size) => Math.min(least, size));
}

function plan<F>(changes: readonly F[], { verdict, reasons }: NodeExplanation): FixPlan<F> {
  return { changes, verdict, remaining: reasons };
}
