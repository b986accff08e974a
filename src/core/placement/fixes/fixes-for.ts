import { NOTHING } from '../../collections/nothing.js';
import { defined } from '../../collections/defined.js';
import { aggregateText } from '../../kubernetes/error-aggregate.js';
import { FieldPath } from '../../kubernetes/field-path.js';
import type { Node } from '../../kubernetes/objects/node.js';
import { validateLabels } from '../../kubernetes/validation/label.js';
import { validateTaints } from '../../kubernetes/validation/taints.js';
import type { NodeEvaluation } from '../node-evaluation.js';
import type { NodeExplanation, RankedReason } from '../node-explanation.js';
import type { Placement } from '../placement.js';
import { isOfDevices } from '../reason.js';
import { type ChangeOfNodes, stepReevaluateNodes } from '../reevaluate.js';
import { claimChange } from './claim-fixes.js';
import type { ClaimFix, ClaimObject, FixPlan, NodeFix, NodeFixes, PodFix } from './fix.js';
import { changeNode, type FixedNode } from './node-fixes.js';
import { ownedIn } from './owned.js';
import { podChanges } from './pod-fixes.js';
import { PodTrials, type TriedPod } from './pod-trials.js';

/** A plan of more changes than this is no advice to anybody, and making it costs their square. */
const MAX_CHANGES = 32;

/**
 * The smallest changes that would admit the pod to a node that refuses it: of the pod alone, of the node alone, and of its claims alone.
 * Each is made to the pod as sent, to the node or to the claims, which the API server's rules then judge again, and the node is evaluated again by the same
 * filters; what then still stands in the way is listed, so a plan whose verdict is not `feasible` is only part of the way. Where too
 * much would have to change nothing is proposed.
 *
 * Pauses while a change is evaluated.
 *
 * @param trials of the placement; shared by all nodes whose fixes are asked for
 */
export function* stepFixesFor(
  placement: Placement,
  node: number,
  trials = new PodTrials(placement),
): Generator<undefined, NodeFixes> {
  return (yield* stepTriedFixesFor(placement, node, trials)).fixes;
}

/** Fixes, with the changed pod and the changed claims that were evaluated. */
export interface TriedFixes {
  readonly fixes: NodeFixes;
  readonly tried?: TriedPod;
  readonly triedClaims?: NodeEvaluation;
}

/** The same, with the changed pod and the changed claims that were evaluated. */
export function* stepTriedFixesFor(
  placement: Placement,
  node: number,
  trials: PodTrials,
): Generator<undefined, TriedFixes> {
  const { state } = placement;
  const { reasons } = placement.explainNode(node);
  const before = state.nodes.node(node);
  const owned = ownedIn(before, reasons);
  if (areTooMany(reasons)) return { fixes: { pod: null, node: null, claim: null, owned } };
  const best = yield* stepBestPodPlan(trials, node, reasons);
  const byNode = changeNode(before, reasons);
  const nodeFixes = byNode.fixes.length === 0 ? null : yield* stepNodePlan(placement, node, byNode);
  const ofClaims = yield* stepClaimPlan(placement, node, reasons);
  return {
    fixes: { pod: best?.plan ?? null, node: nodeFixes, claim: ofClaims?.plan ?? null, owned },
    ...defined({ tried: best?.tried, triedClaims: ofClaims?.evaluation }),
  };
}

function* stepNodePlan(
  placement: Placement,
  node: number,
  { fixes, node: changed }: FixedNode,
): Generator<undefined, NonNullable<NodeFixes['node']>> {
  const { state } = placement;
  const message = refusalOfNode(state.nodes.node(node), changed);
  if (message !== undefined) return { ...NOTHING, ...refused(fixes, message), changed };
  const changedState = yield* state.stepApply({ upserts: [changed] });
  const after = yield* stepReevaluateNodes(placement, changedState, changesOf(fixes));
  return { ...NOTHING, ...plan(fixes, after.explainNode(node)), changed };
}

/** A plan of changes of the pod, and the changed pod that it was found with. */
export interface TriedPodPlan {
  readonly plan: NonNullable<NodeFixes['pod']>;
  readonly tried: TriedPod;
}

/** Of the changes of the pod that answer the reasons, the first that makes the node feasible; or else the one that leaves the fewest reasons. */
export function* stepBestPodPlan(
  trials: PodTrials,
  node: number,
  reasons: readonly RankedReason[],
): Generator<undefined, TriedPodPlan | undefined> {
  const { state, input } = trials.placement;
  let best: TriedPodPlan | undefined;
  for (const change of podChanges(state, node, input.pod, reasons)) {
    const tried = yield* trials.stepTry(change);
    const found =
      tried.outcome === 'refused'
        ? refused(change.fixes, tried.message)
        : plan(change.fixes, tried.evaluation.explainNode(node));
    const one = { plan: { ...NOTHING, ...found, changed: tried.pod }, tried };
    if (found.verdict === 'feasible') return one;
    if (best === undefined || isNearer(one.plan, best.plan)) best = one;
  }
  return best;
}

/** A plan of changes of the pod's claims, and the evaluation of the pod with them. */
export interface TriedClaimPlan {
  readonly plan: NonNullable<NodeFixes['claim']>;
  readonly evaluation: NodeEvaluation;
}

/**
 * Tolerations for taints of devices, one after another, until the pod can have its devices of the node; undefined where it cannot, and
 * where it has or needs none.
 */
export function* stepClaimPlan(
  placement: Placement,
  node: number,
  reasons: readonly RankedReason[],
): Generator<undefined, TriedClaimPlan | undefined> {
  const changes: ClaimFix[] = [];
  const changed = new Map<string, ClaimObject>();
  let { state } = placement;
  let left = reasons;
  for (let round = 0; round < MAX_CLAIM_ROUNDS; round++) {
    const change = claimChange(state, placement.input.pod, left);
    if (change === undefined) return undefined;
    changes.push(...change.fixes);
    for (const object of change.objects) changed.set(`${object.kind} ${object.metadata.name}`, object);
    state = yield* state.stepApply({ upserts: change.objects });
    const evaluation = yield* stepReevaluateNodes(placement, state, CLAIMS);
    const explanation = evaluation.explainNode(node);
    left = explanation.reasons;
    if (!left.some(isOfDevices)) {
      return { plan: { ...plan(changes, explanation), changed: [...changed.values()] }, evaluation };
    }
  }
  return undefined;
}

const CLAIMS: ReadonlySet<ChangeOfNodes> = new Set(['claims']);
const MAX_CLAIM_ROUNDS = 4;

const isNearer = (a: FixPlan<PodFix>, b: FixPlan<PodFix>): boolean =>
  a.refusal === null && (b.refusal !== null || a.remaining.length < b.remaining.length);

/** Whether too much would have to change for a plan to be of use. */
export const areTooMany = (reasons: readonly RankedReason[]): boolean =>
  reasons.reduce((count, reason) => count + changesFor(reason), 0) > MAX_CHANGES;

/** What the API server says of a node's changed labels and taints; undefined where it takes them. */
export function refusalOfNode(before: Node, { metadata, spec }: Node): string | undefined {
  const errors = [
    ...(metadata.labels === before.metadata.labels
      ? []
      : validateLabels(metadata.labels, FieldPath.of('metadata', 'labels'))),
    ...(spec?.taints === before.spec?.taints ? [] : validateTaints(spec?.taints, FieldPath.of('metadata', 'taints'))),
  ];
  return errors.length === 0 ? undefined : aggregateText(errors);
}

/** What filters may depend on of changes of a node. */
export const changesOf = (fixes: readonly NodeFix[]): ReadonlySet<ChangeOfNodes> =>
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
