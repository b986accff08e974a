import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { fixesFor } from '../../core/placement/fixes/fixes-for.js';
import type { NodeFixes } from '../../core/placement/fixes/fix.js';
import type { AggregateMessage } from '../../core/placement/aggregate-message.js';
import { evaluatePlacement } from '../../core/placement/evaluate-placement.js';
import type { Placement } from '../../core/placement/placement.js';
import type { ReasonCount } from '../../core/placement/roll-up.js';
import type { TolerationGates } from '../../core/kubernetes/toleration.js';
import { nodeAnswer, type NodeAnswer } from './node-answer.js';
import type { PlacedSubject } from './placed-subject.js';

/** Rendered nodes kept beside an evaluation: the pages that a dashboard asks for again and again. */
const MOST_NODES_KEPT = 200;

/** A question that was answered: compact columns, and what was made of them so far. */
export class EvaluatedPlacement {
  readonly placement: Placement;
  private readonly nodes = new Map<number, NodeAnswer>();
  private readonly fixes = new Map<number, NodeFixes>();
  private counts: readonly ReasonCount[] | undefined;
  private askedAgain = false;
  private aggregate: AggregateMessage | undefined;

  constructor(
    readonly subject: PlacedSubject,
    gates: TolerationGates,
    private readonly rules: readonly string[] | undefined,
  ) {
    const { pod, state, unknowns } = subject;
    this.placement = evaluatePlacement(state, { pod, gates, unknowns, ...(rules === undefined ? {} : { rules }) });
  }

  /**
   * Told when the question comes once more: from then on rendered nodes are kept. Most questions come once, and to keep
   * what nobody asks for again costs the garbage collector more than to render it.
   */
  noteAskedAgain(): void {
    this.askedAgain = true;
  }

  rollUp(): readonly ReasonCount[] {
    return (this.counts ??= this.placement.rollUp());
  }

  message(): AggregateMessage {
    return (this.aggregate ??= this.placement.message());
  }

  node(index: number): NodeAnswer {
    return this.askedAgain ? kept(this.nodes, index, () => nodeAnswer(this, index)) : nodeAnswer(this, index);
  }

  /** What would admit the pod to a node that refuses it; undefined where it is not refused, or where too little is known. */
  fixesOf(index: number): NodeFixes | undefined {
    if (this.subject.unknowns.length > 0 || this.placement.verdict(index) !== 'infeasible') return undefined;
    return kept(this.fixes, index, () => fixesFor(this.placement, index, this.rules));
  }
}

function kept<Value>(values: Map<number, Value>, key: number, make: () => Value): Value {
  let value = values.get(key);
  if (value === undefined) {
    value = make();
    if (values.size < MOST_NODES_KEPT) values.set(key, value);
  }
  return value;
}

/** Evaluations kept for one state. */
const MOST_KEPT = 64;

/**
 * The questions answered last, by state, so that the next page of an answer and the next look at a dashboard cost no
 * evaluation. They go with their state: a new head starts empty, and a state that memory was needed for takes them along.
 */
export class EvaluatedPlacements {
  private readonly byState = new WeakMap<ClusterState, Map<string, EvaluatedPlacement>>();

  get(state: ClusterState, hash: string, evaluate: () => EvaluatedPlacement): EvaluatedPlacement {
    let known = this.byState.get(state);
    if (known === undefined) this.byState.set(state, (known = new Map<string, EvaluatedPlacement>()));
    let found = known.get(hash);
    // Of insertion order is made an order of use.
    if (found === undefined) found = evaluate();
    else {
      found.noteAskedAgain();
      known.delete(hash);
    }
    known.set(hash, found);
    if (known.size > MOST_KEPT)
      for (const oldest of [...known.keys()].slice(0, known.size - MOST_KEPT)) known.delete(oldest);
    return found;
  }
}
