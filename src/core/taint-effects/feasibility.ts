import { NOTHING } from '../collections/nothing.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { NodeSituations } from '../cluster/node-situations.js';
import { stepSorted } from '../collections/step-sorted.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { evaluatePlacement } from '../placement/evaluate-placement.js';
import { FEASIBLE } from '../placement/placement.js';
import type { EditedNodes } from './edited-nodes.js';
import { podOf } from './tolerance-columns.js';
import type { WorkloadShape, WorkloadShapes } from './workload-shapes.js';

/** Maximum number of edited nodes that are named. */
export const MAX_NAMES = 10;

/** Edited nodes that match a label requirement alike, and whose situations before and after are equal. */
export interface Transition {
  /** Indexes of situations. */
  readonly from: number;
  readonly to: number;
  /** Whether their labels matched before, and match now. */
  readonly selectedBefore: boolean;
  readonly selectedAfter: boolean;
  count: number;
  /** Indexes into the edited nodes, of the first few. */
  readonly first: number[];
}

/** The nodes that a label requirement selects. */
class Selection {
  private counts: NodesBySituation | undefined;

  constructor(
    readonly transitions: readonly Transition[],
    private readonly count: () => NodesBySituation,
  ) {}

  /** Number of nodes selected before, by situation, without empty ones; counted lazily. */
  get nodes(): NodesBySituation {
    return (this.counts ??= this.count());
  }

  /** The number of cells to check for a shape. */
  get cells(): number {
    return this.transitions.length + (this.counts?.length ?? 0);
  }
}

type NodesBySituation = readonly { readonly situation: number; readonly nodes: number }[];

/** Edited nodes: their number, and the indexes of the first few. */
export interface SomeNodes {
  readonly count: number;
  readonly first: readonly number[];
}

/** The difference in the nodes that are feasible for a shape. */
export interface ShapeOutcome {
  readonly feasibleBefore: number;
  readonly feasibleAfter: number;
  readonly lost: SomeNodes;
  readonly gained: SomeNodes;
}

/** A shape that nodes are named for. */
export interface NamedShape {
  readonly shape: WorkloadShape;
  /** The transitions of the edited nodes that the shape's label requirement selects, or selected. */
  readonly transitions: readonly Transition[];
  /** Undefined if its feasible nodes are unchanged. */
  readonly outcome: ShapeOutcome | undefined;
}

/** What is told of the feasibility of shapes. */
export interface FeasibilityVisitor {
  /**
   * Called first.
   * @param columns which tolerances let their pods onto a node in each situation, as `ToleranceColumns` has them
   */
  readonly admitted: (columns: readonly Uint8Array[]) => void;
  /** Called with shapes of one demand and the same tolerations whose feasible nodes change, by rank. */
  readonly changed: (shapes: readonly WorkloadShape[], outcome: ShapeOutcome) => void;
  /** Called for each shape that loses its last node, and each of a DaemonSet whose requirement selects an edited node; by demand and rank. */
  readonly named: (named: NamedShape) => void;
}

export interface FeasibilityQuestion {
  readonly before: ClusterState;
  readonly after: ClusterState;
  readonly edited: EditedNodes;
  /** Additional situations to evaluate; those of the nodes are added. */
  readonly situations: NodeSituations;
  readonly shapes: WorkloadShapes;
  readonly gates: TolerationGates;
}

/** Nodes, or table cells, between two steps of the generator. */
const STRIDE = 8192;

/**
 * The nodes that are feasible for the pods of each workload before and after a change, by the filters that always
 * depend on taints, cordons and labels: NodeUnschedulable, TaintToleration and NodeAffinity (node selector and required
 * node affinity), as in the scheduler. Other filters are not evaluated: resources, and volumes, topology spread and pod
 * affinity, which read labels too.
 *
 * The cost is (distinct tolerations) x (distinct pairs of taints and cordon) + (distinct label requirements that select
 * an edited node) x (nodes), plus little for each pair of tolerations and label requirement, and for each workload that is named.
 */
export function* stepFeasibility(
  { before, after, edited, situations, shapes, gates }: FeasibilityQuestion,
  { admitted, changed, named }: FeasibilityVisitor,
): Generator<undefined, void> {
  const inBefore = situations.ofNodes(before);
  yield undefined;
  // Only the edited nodes are in another situation than before.
  const inAfter = new Int32Array(edited.nodes.length);
  for (const [index, { is }] of edited.nodes.entries()) {
    inAfter[index] = situations.ofNode(after, is);
    if (index % STRIDE === STRIDE - 1) yield undefined;
  }
  const columns = yield* shapes.tolerances.step(situations.all, gates);
  admitted(columns);
  const context = { before, after, edited, inBefore, inAfter, situations: columns.length };
  if (!edited.labelsChanged && before.nodes.count === after.nodes.count) shapes.selections.share(before, after);
  let cells = 0;
  for (const [demand, ofDemand] of shapes.byDemand.entries()) {
    yield undefined;
    if (ofDemand.length === 0) continue;
    const select = (state: ClusterState): Uint8Array =>
      shapes.selections.of(
        state,
        demand,
        () =>
          evaluatePlacement(state, { pod: podOf(shapes.demands[demand]!), filterNames: ['NodeAffinity'], gates })
            .verdicts,
      );
    const selection = yield* stepSelection(select, context);
    const { transitions } = selection;
    if (transitions.length === 0) continue;
    const toName: Omit<NamedShape, 'transitions'>[] = [];
    for (let index = 0; index < ofDemand.length; index++) {
      const alike = ofDemand[index]!;
      const outcome = outcomeOf(columns, alike.tolerance, selection);
      if (outcome !== undefined) changed(alike.shapes, outcome);
      (outcome?.feasibleAfter === 0 ? alike.shapes : alike.ofDaemonSets).forEach((shape) => {
        toName.push({ shape, outcome });
      });
      cells += selection.cells + alike.shapes.length;
      if (cells > STRIDE) {
        yield undefined;
        cells = 0;
      }
    }
    for (const one of yield* stepSorted(toName, (a, b) => a.shape.rank - b.shape.rank)) {
      named({ ...NOTHING, ...one, transitions });
      cells += VISIT;
      if (cells > STRIDE) {
        yield undefined;
        cells = 0;
      }
    }
  }
}

/** The cost of a shape that is named, in cells. */
const VISIT = 128;

/** Whether the taints and the cordon of a situation admit pods with tolerations. */
const admits = (columns: readonly Uint8Array[], tolerance: number, situation: number): boolean =>
  columns[situation]![tolerance] === 1;

function outcomeOf(columns: readonly Uint8Array[], tolerance: number, selection: Selection): ShapeOutcome | undefined {
  const { transitions } = selection;
  // Of most shapes nothing changes.
  if (!changesAny(columns, tolerance, transitions)) return undefined;
  const feasibleBefore = nodesAdmitting(columns, tolerance, selection.nodes);
  const lost = nodesChanging(columns, tolerance, transitions, -1);
  const gained = nodesChanging(columns, tolerance, transitions, 1);
  // The other nodes are as before.
  const feasibleAfter = feasibleBefore - lost.count + gained.count;
  return { feasibleBefore, feasibleAfter, lost, gained };
}

/** Whether the nodes of any transition become feasible, or are so no longer. */
function changesAny(columns: readonly Uint8Array[], tolerance: number, transitions: readonly Transition[]): boolean {
  for (const transition of transitions) if (changeOf(columns, tolerance, transition) !== 0) return true;
  return false;
}

/** 1 for nodes that become feasible, -1 for those that are so no longer. */
function changeOf(columns: readonly Uint8Array[], tolerance: number, transition: Transition): number {
  const was = transition.selectedBefore && admits(columns, tolerance, transition.from);
  const is = transition.selectedAfter && admits(columns, tolerance, transition.to);
  return Number(is) - Number(was);
}

const NO_NODES: SomeNodes = { count: 0, first: [] };

/** The nodes of the transitions with that `changeOf`; of most tolerations, of one or none. */
function nodesChanging(
  columns: readonly Uint8Array[],
  tolerance: number,
  transitions: readonly Transition[],
  change: 1 | -1,
): SomeNodes {
  // Asked for each demand and tolerance of a cluster: there is a list only of what has to be put together.
  let only: Transition | undefined;
  let several: Transition[] | undefined;
  for (const transition of transitions) {
    if (changeOf(columns, tolerance, transition) !== change) continue;
    if (only === undefined) only = transition;
    else (several ??= [only]).push(transition);
  }
  return several === undefined ? (only ?? NO_NODES) : together(several);
}

/** The nodes of several transitions. */
export function together(transitions: readonly Transition[]): SomeNodes {
  const [only, ...others] = transitions;
  if (only !== undefined && others.length === 0) return only;
  return {
    count: transitions.reduce((sum, { count }) => sum + count, 0),
    first: transitions
      .flatMap(({ first }) => first)
      .sort((a, b) => a - b)
      .slice(0, MAX_NAMES),
  };
}

interface SelectionContext {
  readonly before: ClusterState;
  readonly after: ClusterState;
  readonly edited: EditedNodes;
  readonly inBefore: Int32Array;
  /** The situations of the edited nodes, in their order. */
  readonly inAfter: Int32Array;
  readonly situations: number;
}

function* stepSelection(
  select: (state: ClusterState) => Uint8Array,
  { before, after, edited, inBefore, inAfter, situations }: SelectionContext,
): Generator<undefined, Selection> {
  const wasSelected = select(before);
  yield undefined;
  const isSelected = select(after);
  const byKey = new Map<number, Transition>();
  for (let index = 0; index < edited.nodes.length; index++) {
    if (index % STRIDE === STRIDE - 1) yield undefined;
    const { was, is } = edited.nodes[index]!;
    const selectedBefore = wasSelected[was] === FEASIBLE;
    const selectedAfter = isSelected[is] === FEASIBLE;
    if (!selectedBefore && !selectedAfter) continue;
    const [from, to] = [inBefore[was]!, inAfter[index]!];
    const key = ((from * situations + to) * 2 + Number(selectedBefore)) * 2 + Number(selectedAfter);
    let transition = byKey.get(key);
    if (transition === undefined) {
      byKey.set(key, (transition = { from, to, selectedBefore, selectedAfter, count: 0, first: [] }));
    }
    transition.count++;
    if (transition.first.length < MAX_NAMES) transition.first.push(index);
  }
  yield undefined;
  return new Selection([...byKey.values()], () => countBySituation(wasSelected, inBefore, situations));
}

function countBySituation(verdicts: Uint8Array, situationOf: Int32Array, situations: number): NodesBySituation {
  const counts = new Int32Array(situations);
  for (let node = 0; node < situationOf.length; node++) {
    if (verdicts[node] === FEASIBLE) counts[situationOf[node]!]! += 1;
  }
  const found: { readonly situation: number; readonly nodes: number }[] = [];
  counts.forEach((nodes, situation) => {
    if (nodes > 0) found.push({ situation, nodes });
  });
  return found;
}

function nodesAdmitting(columns: readonly Uint8Array[], tolerance: number, counts: NodesBySituation): number {
  let sum = 0;
  for (const { situation, nodes } of counts) if (admits(columns, tolerance, situation)) sum += nodes;
  return sum;
}
