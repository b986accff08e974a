import { allNodes } from '../../cluster/all-nodes.js';
import { internText } from '../../cluster/intern-table.js';
import type { RankedReason } from '../node-explanation.js';
import type { NodeEvaluation } from '../node-evaluation.js';
import type { PlacementGroup } from '../node-groups.js';
import { INFEASIBLE, type Placement } from '../placement.js';
import { isOfDevices } from '../reason.js';
import { stepReevaluateNodes } from '../reevaluate.js';
import { areTooMany, changesOf, refusalOfNode, stepClaimPlan } from './fixes-for.js';
import type { ClaimFix, NodeFix, PodFix } from './fix.js';
import { changeNode } from './node-fixes.js';
import { podChanges, type PodChange } from './pod-fixes.js';
import type { PodTrials } from './pod-trials.js';

/** Changes that make nodes feasible, said once for all of them. */
export type SmallestFix = {
  /** The nodes that become feasible, in the order of the state. */
  readonly nodes: readonly number[];
} & (
  | {
      readonly object: 'Pod';
      readonly changes: readonly PodFix[];
      /** The same changes, to be made to the pod as it was sent. */
      readonly edit: PodChange['edit'];
    }
  /** The changes are those of the first node; each node becomes feasible by the same changes of itself. */
  | { readonly object: 'Node'; readonly changes: readonly NodeFix[] }
  | { readonly object: 'Claim'; readonly changes: readonly ClaimFix[] }
);

/** Groups whose fixes are looked at, those with the fewest reasons first. */
const MAX_GROUPS = 16;
/** Changes of the pod that are evaluated, each on all nodes. */
const MAX_POD_CHANGES = 8;
/** Changes of nodes that are evaluated, and nodes that one of them is made to. */
const MAX_NODE_CHANGES = 4;
export const MAX_CHANGED_NODES = 20;
const MAX_LISTED = 10;

/**
 * The changes that make infeasible nodes feasible, over all nodes: those with the fewest changes first, of these one that needs nothing else
 * before one with a condition, and then the one that opens the most nodes. What opens no node more than fewer changes of the same object do is left out.
 *
 * Each change of the pod is evaluated on all nodes that refuse it. A change of nodes is made to those of the nodes that call for it, up to
 * `MAX_CHANGED_NODES`; to one alone where the placement depends on other nodes, as by spread constraints.
 *
 * Pauses after each change, and while it is evaluated.
 *
 * @param groups of all nodes
 */
export function* stepSmallestFixes(
  groups: readonly PlacementGroup[],
  trials: PodTrials,
): Generator<undefined, readonly SmallestFix[]> {
  const { placement } = trials;
  const near: readonly NearGroup[] = groups
    .filter(({ verdict }) => verdict === 'infeasible')
    .sort((a, b) => a.explanation.reasons.length - b.explanation.reasons.length || b.nodes.length - a.nodes.length)
    .slice(0, MAX_GROUPS)
    .map(({ nodes, nearest }) => ({ nodes, nearest, reasons: placement.explainNode(nearest).reasons }))
    .filter(({ reasons }) => !areTooMany(reasons));
  yield;
  const ofPod = yield* stepPodFixes(near, trials);
  const ofNodes = yield* stepNodeFixes(near, placement);
  const found = [...ofPod, ...ofNodes, ...(yield* stepClaimFixes(near, placement))];
  return withoutUseless(found.sort(inOrder)).slice(0, MAX_LISTED);
}

/** How many nodes one making of the changes opens. */
const opened = ({ object, nodes }: SmallestFix): number => (object === 'Node' ? 1 : nodes.length);

const conditions = ({ changes }: SmallestFix): number =>
  (changes as readonly { readonly condition?: string }[]).filter(({ condition }) => condition !== undefined).length;

const inOrder = (a: SmallestFix, b: SmallestFix): number =>
  a.changes.length - b.changes.length ||
  conditions(a) - conditions(b) ||
  opened(b) - opened(a) ||
  b.nodes.length - a.nodes.length;

function withoutUseless(ordered: readonly SmallestFix[]): readonly SmallestFix[] {
  const kept: SmallestFix[] = [];
  for (const fix of ordered) {
    const isUseless = kept.some((better) => {
      if (better.object !== fix.object || better.changes.length >= fix.changes.length) return false;
      if (conditions(better) > conditions(fix)) return false;
      const nodes = new Set(better.nodes);
      return fix.nodes.every((node) => nodes.has(node));
    });
    if (!isUseless) kept.push(fix);
  }
  return kept;
}

/** A group, and the reasons against the node of it that is nearest to taking the pod. */
interface NearGroup extends Pick<PlacementGroup, 'nodes' | 'nearest'> {
  readonly reasons: readonly RankedReason[];
}

/** A change of the pod that groups call for, and how many nodes they have. */
interface WantedChange {
  readonly change: PodChange;
  nodes: number;
}

function* stepPodFixes(groups: readonly NearGroup[], trials: PodTrials): Generator<undefined, readonly SmallestFix[]> {
  const { placement } = trials;
  const { state, input, verdicts } = placement;
  const wanted = new Map<string, WantedChange>();
  for (const { nearest, nodes, reasons } of groups) {
    for (const change of podChanges(state, nearest, input.pod, reasons)) {
      const key = internText([change.fixes, change.pod.spec]);
      const known = wanted.get(key);
      if (known === undefined) wanted.set(key, { change, nodes: nodes.length });
      else known.nodes += nodes.length;
    }
  }
  const refused = allNodes(state).filter((node) => verdicts[node] === INFEASIBLE);
  const tried = [...wanted.values()]
    .sort((a, b) => a.change.fixes.length - b.change.fixes.length || b.nodes - a.nodes)
    .slice(0, MAX_POD_CHANGES);
  const found: SmallestFix[] = [];
  for (const { change } of tried) {
    const after = yield* trials.stepTry(change);
    if (after.outcome === 'refused') continue;
    const nodes = yield* stepFeasible(refused, after.evaluation);
    if (nodes.length > 0) found.push({ object: 'Pod', changes: change.fixes, edit: change.edit, nodes });
  }
  return found;
}

/** Nodes whose verdicts are asked for in one step. */
const STRIDE = 512;

function* stepFeasible(nodes: readonly number[], evaluation: NodeEvaluation): Generator<undefined, readonly number[]> {
  const feasible: number[] = [];
  for (const [turn, node] of nodes.entries()) {
    if (turn % STRIDE === 0) yield;
    if (evaluation.verdict(node) === 'feasible') feasible.push(node);
  }
  return feasible;
}

function* stepClaimFixes(
  groups: readonly NearGroup[],
  placement: Placement,
): Generator<undefined, readonly SmallestFix[]> {
  const { state, verdicts } = placement;
  const found = new Map<string, SmallestFix>();
  let tries = 0;
  for (const { nodes, nearest, reasons } of groups) {
    if (!reasons.every(isOfDevices)) continue;
    const others = nodes.filter((node) => node !== nearest).slice(0, MAX_CLAIM_NODES);
    for (const node of [nearest, ...others]) {
      const own = node === nearest ? reasons : placement.explainNode(node).reasons;
      if (!own.some(wouldTolerate) || [...found.values()].some((fix) => fix.nodes.includes(node))) continue;
      if (++tries > MAX_CLAIM_CHANGES) return [...found.values()];
      const tried = yield* stepClaimPlan(placement, node, own);
      if (tried?.plan.verdict !== 'feasible') continue;
      const { changes } = tried.plan;
      const refused = allNodes(state).filter((one) => verdicts[one] === INFEASIBLE);
      const opened = yield* stepFeasible(refused, tried.evaluation);
      found.set(internText(changes), { object: 'Claim', changes, nodes: opened });
    }
  }
  return [...found.values()];
}

/** Whether taints of devices are among what keeps a request from them. */
const wouldTolerate = (reason: RankedReason): boolean =>
  isOfDevices(reason) && reason.facts.taints.some(({ tolerated }) => !tolerated);

/** Nodes whose claims are changed, each time with an evaluation on all nodes; and nodes of a group that are looked at. */
const MAX_CLAIM_CHANGES = 8;
const MAX_CLAIM_NODES = 50;

interface ChangedNodes {
  readonly reasons: readonly RankedReason[];
  readonly changes: readonly NodeFix[];
  readonly nodes: number[];
}

function* stepNodeFixes(
  groups: readonly NearGroup[],
  placement: Placement,
): Generator<undefined, readonly SmallestFix[]> {
  const { nodes: table } = placement.state;
  const most = dependsOnOtherNodes(placement) ? 1 : MAX_CHANGED_NODES;
  const byChange = new Map<string, ChangedNodes>();
  for (const { nodes, nearest, reasons } of groups) {
    const { fixes } = changeNode(table.node(nearest), reasons);
    if (fixes.length === 0) continue;
    // The command names the node.
    const key = internText(fixes.map((fix) => ({ ...fix, command: '' })));
    let same = byChange.get(key);
    if (same === undefined) byChange.set(key, (same = { reasons, changes: fixes, nodes: [] }));
    const others = nodes.filter((node) => node !== nearest);
    same.nodes.push(...[nearest, ...others].slice(0, most - same.nodes.length));
  }
  const made = [...byChange.values()]
    .sort((a, b) => a.changes.length - b.changes.length || b.nodes.length - a.nodes.length)
    .slice(0, MAX_NODE_CHANGES);
  const found: SmallestFix[] = [];
  for (const changed of made) {
    yield;
    const fix = yield* stepEvaluatedNodes(placement, changed);
    if (fix !== undefined) found.push(fix);
  }
  return found;
}

/** Makes the same changes to each of the nodes, all at once. */
function* stepEvaluatedNodes(
  placement: Placement,
  { reasons, changes, nodes }: ChangedNodes,
): Generator<undefined, SmallestFix | undefined> {
  const { state } = placement;
  const made = [...nodes]
    .sort((a, b) => a - b)
    .map((index) => ({ index, before: state.nodes.node(index), ...changeNode(state.nodes.node(index), reasons) }))
    .filter(({ before, node, fixes }) => fixes.length === changes.length && refusalOfNode(before, node) === undefined);
  const changed = yield* state.stepApply({ upserts: made.map(({ node }) => node) });
  const after = yield* stepReevaluateNodes(placement, changed, changesOf(changes));
  const feasible = made.filter(({ index }) => after.verdict(index) === 'feasible');
  return feasible.length === 0
    ? undefined
    : { object: 'Node', changes: feasible[0]!.fixes, nodes: feasible.map(({ index }) => index) };
}

/** Whether what a filter says of a node can depend on labels and taints of others, so that nodes cannot be changed together. */
const dependsOnOtherNodes = ({ plugins }: Placement): boolean =>
  plugins.some(({ name, filter }) => filter !== undefined && OF_OTHER_NODES.has(name));

const OF_OTHER_NODES: ReadonlySet<string> = new Set(['PodTopologySpread', 'InterPodAffinity']);
