import type { ClusterState } from '../cluster/cluster-state.js';
import type { NodeSituations } from '../cluster/node-situations.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { evaluatePlacement } from '../placement/evaluate-placement.js';
import { FEASIBLE } from '../placement/placement.js';
import type { EditedNodes } from './edited-nodes.js';
import { podOf } from './tolerance-columns.js';
import type { WorkloadShape, WorkloadShapes } from './workload-shapes.js';

/** Edited nodes that are named. */
export const MOST_NAMES = 10;

/** Edited nodes that a demand on labels meets alike, and that went from one situation to another alike. */
export interface Transition {
  /** Situations. */
  readonly from: number;
  readonly to: number;
  /** Whether their labels were, and are, what is demanded. */
  readonly selectedBefore: boolean;
  readonly selectedAfter: boolean;
  count: number;
  /** Indexes into the edited nodes, of the first few. */
  readonly first: number[];
}

/** What a demand on labels selects. */
class Selection {
  private counts: { readonly before: NodesBySituation; readonly after: NodesBySituation } | undefined;

  constructor(
    readonly transitions: readonly Transition[],
    private readonly count: () => { readonly before: NodesBySituation; readonly after: NodesBySituation },
  ) {}

  /** Selected nodes by situation, situations without any left out; counted when they are first asked for. */
  get nodes(): { readonly before: NodesBySituation; readonly after: NodesBySituation } {
    return (this.counts ??= this.count());
  }

  /** How much there is to look at for a shape. */
  get cells(): number {
    const { counts, transitions } = this;
    return transitions.length + (counts === undefined ? 0 : counts.before.length + counts.after.length);
  }
}

type NodesBySituation = readonly { readonly situation: number; readonly nodes: number }[];

/** Edited nodes: how many, and the indexes of the first few. */
export interface SomeNodes {
  readonly count: number;
  readonly first: readonly number[];
}

/** How the nodes that a shape may go to differ. */
export interface ShapeOutcome {
  readonly feasibleBefore: number;
  readonly feasibleAfter: number;
  readonly lost: SomeNodes;
  readonly gained: SomeNodes;
}

/** The answer for each shape, in no particular order. */
export interface JudgedShape {
  readonly shape: WorkloadShape;
  /** Whether taints and cordon of a situation let the pods in. */
  readonly passes: (situation: number) => boolean;
  /** How the edited nodes that the shape's demand on labels selects, or selected, went from one situation to another. */
  readonly transitions: readonly Transition[];
  /** Undefined where it has the same nodes to go to as before. */
  readonly outcome: ShapeOutcome | undefined;
}

export interface FeasibilityQuestion {
  readonly before: ClusterState;
  readonly after: ClusterState;
  readonly edited: EditedNodes;
  /** Those that are asked for beside those of the nodes; the nodes' own are added. */
  readonly situations: NodeSituations;
  readonly shapes: WorkloadShapes;
  readonly gates: TolerationGates;
}

/** Nodes, or cells of a table, between two turns of the generator. */
const STRIDE = 8192;

/**
 * Which nodes the pods of each workload may go to before and after a change, by the filters that a change of taints, cordons and
 * labels always decides: NodeUnschedulable, TaintToleration and NodeAffinity (node selector and required node affinity), as the
 * scheduler runs them. The others are not asked: whether there is room on a node, and whether volumes, topology spread and
 * affinity to other pods, which read labels too, let a pod in.
 *
 * The cost is (distinct tolerations) x (distinct pairs of taints and cordon) + (distinct demands on labels) x (nodes), and
 * little for each workload.
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
          evaluatePlacement(state, { pod: podOf(shapes.demands[demand]!), rules: ['NodeAffinity'], gates }).verdicts,
      );
    const selection = yield* stepSelection(select, context);
    // Shapes that tolerate the same too are answered alike.
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

/** What a shape costs besides its cells, in cells. */
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
      .slice(0, MOST_NAMES),
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
    if (transition.first.length < MOST_NAMES) transition.first.push(index);
  }
  yield undefined;
  return new Selection([...byKey.values()], () => ({
    before: countBySituation(wasSelected, inBefore, situations),
    after: countBySituation(isSelected, inAfter, situations),
  }));
}

function countBySituation(verdicts: Uint8Array, situationOf: Int32Array, situations: number): NodesBySituation {
  const counts = new Int32Array(situations);
  const met: number[] = [];
  for (let node = 0; node < situationOf.length; node++) {
    if (verdicts[node] !== FEASIBLE) continue;
    const situation = situationOf[node]!;
    if (counts[situation]!++ === 0) met.push(situation);
  }
  return met.map((situation) => ({ situation, nodes: counts[situation]! }));
}

function sumWhere(counts: NodesBySituation, passes: JudgedShape['passes']): number {
  let sum = 0;
  for (const { situation, nodes } of counts) if (passes(situation)) sum += nodes;
  return sum;
}
