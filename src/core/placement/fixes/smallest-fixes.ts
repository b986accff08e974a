import { internText } from '../../cluster/intern-table.js';
import type { Node } from '../../kubernetes/objects/node.js';
import type { PlacementGroup } from '../node-groups.js';
import { INFEASIBLE, type Placement } from '../placement.js';
import { reevaluateNodes } from '../reevaluate.js';
import { areTooMany, bestPodPlan, changesOf, refusalOfNode } from './fixes-for.js';
import type { NodeFix, PodFix } from './fix.js';
import { changeNode } from './node-fixes.js';
import type { PodTrials, TriedPod } from './pod-trials.js';

/** Changes that make nodes feasible, said once for all of them. */
export type SmallestFix = {
  /** The nodes that become feasible, in the order of the state. */
  readonly nodes: readonly number[];
} & (
  | { readonly object: 'Pod'; readonly changes: readonly PodFix[] }
  /** The changes are those of the first node; each node becomes feasible by the same changes of itself. */
  | { readonly object: 'Node'; readonly changes: readonly NodeFix[] }
);

/** Groups whose fixes are looked at, those with the fewest reasons first. */
const MAX_GROUPS = 32;
/** Changes of nodes that are evaluated, and nodes that one of them is made to. */
const MAX_NODE_CHANGES = 8;
export const MAX_CHANGED_NODES = 20;
const MAX_LISTED = 10;

/**
 * The changes that make infeasible nodes feasible, over all nodes: those with the fewest changes first, and of these the one that opens the
 * most nodes. What opens no node more than fewer changes of the same object do is left out.
 *
 * Each change of the pod is evaluated on all nodes that refuse it. A change of nodes is made to those of the nodes that call for it, up to
 * `MAX_CHANGED_NODES`; to one alone where the placement depends on other nodes, as by spread constraints.
 *
 * @param groups of all nodes
 */
export function smallestFixes(groups: readonly PlacementGroup[], trials: PodTrials): readonly SmallestFix[] {
  const { placement } = trials;
  const near = groups
    .filter(({ verdict }) => verdict === 'infeasible')
    .sort((a, b) => a.explanation.reasons.length - b.explanation.reasons.length || b.nodes.length - a.nodes.length)
    .slice(0, MAX_GROUPS);
  const found = [...podFixes(near, trials), ...nodeFixes(near, placement)];
  return withoutUseless(found.sort(inOrder)).slice(0, MAX_LISTED);
}

/** How many nodes one making of the changes opens. */
const opened = ({ object, nodes }: SmallestFix): number => (object === 'Pod' ? nodes.length : 1);

const inOrder = (a: SmallestFix, b: SmallestFix): number =>
  a.changes.length - b.changes.length || opened(b) - opened(a) || b.nodes.length - a.nodes.length;

function withoutUseless(ordered: readonly SmallestFix[]): readonly SmallestFix[] {
  const kept: SmallestFix[] = [];
  for (const fix of ordered) {
    const isUseless = kept.some((better) => {
      if (better.object !== fix.object || better.changes.length >= fix.changes.length) return false;
      const nodes = new Set(better.nodes);
      return fix.nodes.every((node) => nodes.has(node));
    });
    if (!isUseless) kept.push(fix);
  }
  return kept;
}

function podFixes(groups: readonly PlacementGroup[], trials: PodTrials): readonly SmallestFix[] {
  const { placement } = trials;
  const seen = new Set<TriedPod>();
  const found: SmallestFix[] = [];
  for (const { nearest } of groups) {
    const { reasons } = placement.explainNode(nearest);
    if (areTooMany(reasons)) continue;
    const best = bestPodPlan(trials, nearest, reasons);
    if (best === undefined || best.plan.verdict !== 'feasible' || best.tried.outcome === 'refused') continue;
    if (seen.has(best.tried)) continue;
    seen.add(best.tried);
    const { evaluation } = best.tried;
    const nodes: number[] = [];
    for (let node = 0; node < placement.verdicts.length; node++) {
      if (placement.verdicts[node] === INFEASIBLE && evaluation.verdict(node) === 'feasible') nodes.push(node);
    }
    found.push({ object: 'Pod', changes: best.plan.changes, nodes });
  }
  return found;
}

interface ChangedNodes {
  readonly changes: readonly NodeFix[];
  readonly nodes: { readonly index: number; readonly after: Node }[];
}

function nodeFixes(groups: readonly PlacementGroup[], placement: Placement): readonly SmallestFix[] {
  const most = dependsOnOtherNodes(placement) ? 1 : MAX_CHANGED_NODES;
  const byChange = new Map<string, ChangedNodes>();
  for (const { nodes, nearest } of groups) {
    for (const index of [nearest, ...nodes.filter((node) => node !== nearest).slice(0, most - 1)]) {
      addChange(byChange, placement, index, most);
    }
  }
  return [...byChange.values()]
    .sort((a, b) => a.changes.length - b.changes.length || b.nodes.length - a.nodes.length)
    .slice(0, MAX_NODE_CHANGES)
    .flatMap((changed) => evaluatedNodes(placement, changed));
}

function addChange(byChange: Map<string, ChangedNodes>, placement: Placement, index: number, most: number): void {
  const { reasons } = placement.explainNode(index);
  if (areTooMany(reasons)) return;
  const before = placement.state.nodes.node(index);
  const { node: after, fixes } = changeNode(before, reasons);
  if (fixes.length === 0 || refusalOfNode(before, after) !== undefined) return;
  // The command names the node.
  const key = internText(fixes.map(({ command: _, ...change }) => change));
  let same = byChange.get(key);
  if (same === undefined) byChange.set(key, (same = { changes: fixes, nodes: [] }));
  if (same.nodes.length < most) same.nodes.push({ index, after });
}

function evaluatedNodes(placement: Placement, { changes, nodes }: ChangedNodes): readonly SmallestFix[] {
  const state = placement.state.apply({ upserts: nodes.map(({ after }) => after) });
  const after = reevaluateNodes(placement, state, changesOf(changes));
  const feasible = nodes.filter(({ index }) => after.verdict(index) === 'feasible');
  const [first] = feasible;
  if (first === undefined) return [];
  const { fixes } = changeNode(placement.state.nodes.node(first.index), placement.explainNode(first.index).reasons);
  return [{ object: 'Node', changes: fixes, nodes: feasible.map(({ index }) => index).sort((a, b) => a - b) }];
}

/** Whether what a filter says of a node can depend on labels and taints of others, so that nodes cannot be changed together. */
const dependsOnOtherNodes = ({ plugins }: Placement): boolean =>
  plugins.some(({ name, filter }) => filter !== undefined && OF_OTHER_NODES.has(name));

const OF_OTHER_NODES: ReadonlySet<string> = new Set(['PodTopologySpread', 'InterPodAffinity']);
