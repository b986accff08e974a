import type { ClusterState } from '../cluster/cluster-state.js';
import type { NodeSituations } from '../cluster/node-situations.js';
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
  private counts: { readonly before: NodesBySituation; readonly after: NodesBySituation } | undefined;

  constructor(
    readonly transitions: readonly Transition[],
    private readonly count: () => { readonly before: NodesBySituation; readonly after: NodesBySituation },
  ) {}

  /** Number of selected nodes by situation, without empty ones; counted lazily. */
  get nodes(): { readonly before: NodesBySituation; readonly after: NodesBySituation } {
    return (this.counts ??= this.count());
  }

  /** The number of cells to check for a shape. */
  get cells(): number {
    const { counts, transitions } = this;
    return transitions.length + (counts === undefined ? 0 : counts.before.length + counts.after.length);
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

/** The result for each shape, in no particular order. */
export interface JudgedShape {
  readonly shape: WorkloadShape;
  /** Whether the taints and the cordon of a situation admit the pods. */
  readonly passes: (situation: number) => boolean;
  /** The transitions of the edited nodes that the shape's label requirement selects, or selected. */
  readonly transitions: readonly Transition[];
  /** Undefined if its feasible nodes are unchanged. */
  readonly outcome: ShapeOutcome | undefined;
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
 * The cost is (distinct tolerations) x (distinct pairs of taints and cordon) + (distinct label requirements) x (nodes),
 * plus little for each workload.
 */
export function* stepFeasibility(
  { before, after, edited, situations, shapes, gates }: FeasibilityQuestion,
  visit: (judged: JudgedShape) => void,
): Generator<undefined, void> {
  const inBefore = situations.ofNodes(before);
  yield undefined;
  const inAfter = situations.ofNodes(after);
  yield undefined;
  const columns = yield* shapes.tolerances.step(situations.all, gates);
  const context = { before, after, edited, inBefore, inAfter, situations: columns.length };
  if (!edited.labelsChanged && before.nodes.count === after.nodes.count) shapes.selections.share(before, after);
  const byDemand = shapes.demands.map((): WorkloadShape[] => []);
  for (const shape of shapes.shapes) byDemand[shape.demand]!.push(shape);
  let cells = 0;
  for (const [demand, ofDemand] of byDemand.entries()) {
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
    // Shapes with the same tolerations share one result.
    const outcomes = new Map<number, ShapeOutcome | undefined>();
    for (const shape of ofDemand) {
      const { tolerance } = shape;
      const passes = (situation: number): boolean => columns[situation]![tolerance] === 1;
      const known = outcomes.has(tolerance);
      cells += TURN_OF_A_SHAPE + (known ? 0 : selection.cells);
      if (cells > STRIDE) {
        yield undefined;
        cells = 0;
      }
      if (!known) outcomes.set(tolerance, outcomeOf(passes, selection));
      visit({ shape, passes, transitions: selection.transitions, outcome: outcomes.get(tolerance) });
    }
  }
}

/** The cost of a shape besides its cells, in cells. */
const TURN_OF_A_SHAPE = 128;

function outcomeOf(passes: JudgedShape['passes'], selection: Selection): ShapeOutcome | undefined {
  const lost: Transition[] = [];
  const gained: Transition[] = [];
  for (const transition of selection.transitions) {
    const was = transition.selectedBefore && passes(transition.from);
    const is = transition.selectedAfter && passes(transition.to);
    if (was !== is) (was ? lost : gained).push(transition);
  }
  if (lost.length + gained.length === 0) return undefined;
  const { before, after } = selection.nodes;
  return {
    feasibleBefore: sumWhere(before, passes),
    feasibleAfter: sumWhere(after, passes),
    lost: together(lost),
    gained: together(gained),
  };
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
    const [from, to] = [inBefore[was]!, inAfter[is]!];
    const key = ((from * situations + to) * 2 + Number(selectedBefore)) * 2 + Number(selectedAfter);
    let transition = byKey.get(key);
    if (transition === undefined) {
      byKey.set(key, (transition = { from, to, selectedBefore, selectedAfter, count: 0, first: [] }));
    }
    transition.count++;
    if (transition.first.length < MAX_NAMES) transition.first.push(index);
  }
  yield undefined;
  const transitions = [...byKey.values()];
  return new Selection(transitions, () => {
    const counts = countBySituation(wasSelected, inBefore, situations);
    const nodesBefore = withoutEmpty(counts);
    // The other nodes are as before.
    for (const { from, to, selectedBefore, selectedAfter, count } of transitions) {
      if (selectedBefore) counts[from]! -= count;
      if (selectedAfter) counts[to]! += count;
    }
    return { before: nodesBefore, after: withoutEmpty(counts) };
  });
}

function countBySituation(verdicts: Uint8Array, situationOf: Int32Array, situations: number): Int32Array {
  const counts = new Int32Array(situations);
  for (let node = 0; node < situationOf.length; node++) {
    if (verdicts[node] === FEASIBLE) counts[situationOf[node]!]! += 1;
  }
  return counts;
}

function withoutEmpty(counts: Int32Array): NodesBySituation {
  const found: { readonly situation: number; readonly nodes: number }[] = [];
  counts.forEach((nodes, situation) => {
    if (nodes > 0) found.push({ situation, nodes });
  });
  return found;
}

function sumWhere(counts: NodesBySituation, passes: JudgedShape['passes']): number {
  let sum = 0;
  for (const { situation, nodes } of counts) if (passes(situation)) sum += nodes;
  return sum;
}
