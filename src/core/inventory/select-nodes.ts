import type { ClusterState } from '../cluster/cluster-state.js';
import type { FieldSelector } from '../kubernetes/field-selector.js';
import type { Selector } from '../kubernetes/label-selector.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { fitsTaintPattern, type TaintPattern } from '../kubernetes/taint-text.js';
import { findUntolerated, type TolerationGates } from '../kubernetes/toleration.js';

/** The effects that keep a pod off a node (`DoNotScheduleTaintsFilterFunc`, k8s.io/component-helpers v0.36.2). */
export const BARRING_EFFECTS: readonly string[] = ['NoSchedule', 'NoExecute'];

/** Nodes examined between two yields. */
const STRIDE = 512;

/** Selects nodes that meet every given criterion. */
export interface NodeCriteria {
  readonly labels?: Selector;
  readonly fields?: FieldSelector<Node>;
  /** The node has a taint that matches each of these patterns. */
  readonly taints?: readonly TaintPattern[];
  /** The node has a NoSchedule or NoExecute taint that these tolerations do not tolerate. */
  readonly untoleratedBy?: readonly Toleration[];
}

/**
 * The nodes that meet the criteria, as ascending indexes, which is the order of names. Taints are evaluated once per distinct
 * set. A generator, so that the caller can let other work run in between; it yields nothing.
 */
export function* stepSelectNodes(
  state: ClusterState,
  criteria: NodeCriteria,
  gates: TolerationGates,
): Generator<undefined, readonly number[]> {
  const { nodes } = state;
  const { labels, fields } = criteria;
  const setFits = taintSetJudge(state, criteria, gates);
  const selected: number[] = [];
  for (let node = 0; node < nodes.count; node++) {
    if (node % STRIDE === STRIDE - 1) yield;
    if (!setFits(nodes.taintSetId(node))) continue;
    if (labels !== undefined && !labels.matches(nodes.labels(node))) continue;
    if (fields !== undefined && !fields.matches(nodes.node(node))) continue;
    selected.push(node);
  }
  return selected;
}

function taintSetJudge(
  { taintSets }: ClusterState,
  { taints = [], untoleratedBy }: NodeCriteria,
  gates: TolerationGates,
): (setId: number) => boolean {
  const fits = (set: readonly Taint[]): boolean =>
    taints.every((pattern) => set.some((taint) => fitsTaintPattern(taint, pattern))) &&
    (untoleratedBy === undefined || findUntolerated(untoleratedBy, set, BARRING_EFFECTS, gates) !== undefined);
  const judged = new Map<number, boolean>();
  return (setId) => {
    let verdict = judged.get(setId);
    if (verdict === undefined) judged.set(setId, (verdict = fits(taintSets[setId]!)));
    return verdict;
  };
}
