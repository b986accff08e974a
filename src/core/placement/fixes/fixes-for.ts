import { evaluateNode, type PlacementQuestion } from '../evaluate-placement.js';
import type { NodeExplanation } from '../node-explanation.js';
import type { Placement } from '../placement.js';
import type { FixPlan, NodeFixes } from './fix.js';
import { changeNode } from './node-fixes.js';
import { changePod } from './pod-fixes.js';

/**
 * The smallest changes that would admit the pod to a node that refuses it: of the pod alone, and of the node alone. Each
 * is made on paper and the node evaluated again by the same filters; what then still stands in the way is listed, so a
 * plan whose verdict is not `feasible` is only part of the way.
 */
export function fixesFor(
  placement: Placement,
  node: number,
  rules: readonly string[] | undefined = placement.input.rules,
): NodeFixes {
  const { state, input } = placement;
  const { reasons } = placement.explainNode(node);
  const question = (pod: PlacementQuestion['pod']): PlacementQuestion => ({
    pod,
    gates: input.gates,
    ...(rules === undefined ? {} : { rules }),
    unknowns: placement.podReasons.filter(({ status }) => status === 'Unknown'),
  });
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

function plan<F>(changes: readonly F[], { verdict, reasons }: NodeExplanation): FixPlan<F> {
  return { changes, verdict, remaining: reasons };
}
