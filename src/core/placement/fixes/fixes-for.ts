import { defaultPod } from '../../kubernetes/defaults.js';
import { aggregateText } from '../../kubernetes/error-aggregate.js';
import { FieldPath } from '../../kubernetes/field-path.js';
import type { Node } from '../../kubernetes/objects/node.js';
import { validateLabels } from '../../kubernetes/validation/label.js';
import { validateReplacedPod } from '../../kubernetes/validation/placed-pod.js';
import { validateTaints } from '../../kubernetes/validation/taints.js';
import type { NodeExplanation, RankedReason } from '../node-explanation.js';
import type { Placement } from '../placement.js';
import { reevaluateNodes, reevaluatePod, type ChangeOfNodes } from '../reevaluate.js';
import type { FixPlan, NodeFix, NodeFixes, Readmit } from './fix.js';
import { changeNode, type FixedNode } from './node-fixes.js';
import { ownedIn } from './owned.js';
import { changePod, type PodChange } from './pod-fixes.js';

/** A plan of more changes than this is no advice to anybody, and making it costs their square. */
const MAX_CHANGES = 32;

/**
 * The smallest changes that would admit the pod to a node that refuses it: of the pod alone, and of the node alone. Each
 * is made to the pod as sent or to the node, which the API server's rules then judge again, and the node is evaluated again by the same
 * filters; what then still stands in the way is listed, so a plan whose verdict is not `feasible` is only part of the way. Where too
 * much would have to change nothing is proposed.
 *
 * @param readmit by default, the pod of the placement is what was sent, and is validated alone
 */
export function fixesFor(placement: Placement, node: number, readmit: Readmit = validatedAgain(placement)): NodeFixes {
  const { state, input } = placement;
  const { reasons } = placement.explainNode(node);
  const before = state.nodes.node(node);
  const owned = ownedIn(before, reasons);
  if (reasons.reduce((count, reason) => count + changesFor(reason), 0) > MAX_CHANGES) {
    return { pod: null, node: null, owned };
  }
  const byPod = changePod(state, node, input.pod, reasons);
  const byNode = changeNode(before, reasons);
  return {
    pod: byPod.fixes.length === 0 ? null : podPlan(byPod),
    node: byNode.fixes.length === 0 ? null : nodePlan(byNode),
    owned,
  };

  function podPlan({ fixes, edit }: PodChange): NonNullable<NodeFixes['pod']> {
    const after = readmit(edit);
    if (after.outcome === 'refused') return { ...refused(fixes, after.message), changed: after.pod };
    return { ...plan(fixes, reevaluatePod(placement, after.pod).explainNode(node)), changed: after.pod };
  }

  function nodePlan({ fixes, node: changed }: FixedNode): NonNullable<NodeFixes['node']> {
    const message = refusalOfNode(before, changed);
    if (message !== undefined) return { ...refused(fixes, message), changed };
    const after = reevaluateNodes(placement, state.apply({ upserts: [changed] }), changesOf(fixes));
    return { ...plan(fixes, after.explainNode(node)), changed };
  }
}

/** The pod of a placement, changed and validated, where what was sent is not known. */
export const validatedAgain =
  ({ input: { pod, gates } }: Placement): Readmit =>
  (change) => {
    const given = change(pod);
    const defaulted = defaultPod(given);
    const errors = validateReplacedPod(defaulted, gates);
    return errors.length === 0
      ? { outcome: 'admitted', pod: defaulted }
      : { outcome: 'refused', pod: given, message: aggregateText(errors) };
  };

/** What the API server says of a node's changed labels and taints; undefined where it takes them. */
function refusalOfNode(before: Node, { metadata, spec }: Node): string | undefined {
  const errors = [
    ...(metadata.labels === before.metadata.labels
      ? []
      : validateLabels(metadata.labels, FieldPath.of('metadata', 'labels'))),
    ...(spec?.taints === before.spec?.taints ? [] : validateTaints(spec?.taints, FieldPath.of('metadata', 'taints'))),
  ];
  return errors.length === 0 ? undefined : aggregateText(errors);
}

/** What filters may depend on of changes of a node. */
const changesOf = (fixes: readonly NodeFix[]): ReadonlySet<ChangeOfNodes> =>
  new Set(fixes.map(({ kind }) => (kind === 'SetLabel' ? 'node' : 'taints')));

/** How much there is to change at least: of several terms the one that is nearest. */
function changesFor(reason: RankedReason): number {
  if (reason.code !== 'NodeAffinityMismatch') return 1;
  const sizes = reason.facts.terms.map(({ unmet }) => unmet.length).filter((size) => size > 0);
  return sizes.length === 0 ? 1 : sizes.reduce((least, size) => Math.min(least, size));
}

function plan<F>(changes: readonly F[], { verdict, reasons }: NodeExplanation): FixPlan<F> {
  return { changes, verdict, remaining: reasons, refusal: null };
}

function refused<F>(changes: readonly F[], refusal: string): FixPlan<F> {
  return { changes, verdict: 'infeasible', remaining: [], refusal };
}
