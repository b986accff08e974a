import { stringifyJson } from '../../core/json/lossless-json.js';
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
/** What one of them takes in memory, in bytes; roughly. */
const RENDERED_NODE = 4000;
/** Rendered nodes are kept of pods of at most so many characters as JSON, where they have at most so many reasons. */
const SMALL_POD = 4096;
const FEW_REASONS = 16;

/** A question that was answered: compact columns, and what was made of them so far. */
export class EvaluatedPlacement {
  readonly placement: Placement;
  /** Characters of the pod as JSON. */
  readonly podSize: number;
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
    this.podSize = stringifyJson(pod).length;
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
    const make = (): NodeAnswer => nodeAnswer(this, index);
    if (!this.askedAgain || this.podSize > SMALL_POD) return make();
    return kept(this.nodes, index, make, ({ reasons }) => reasons.length <= FEW_REASONS);
  }

  /** What would admit the pod to a node that refuses it; undefined where it is not refused, or where too little is known. */
  fixesOf(index: number): NodeFixes | undefined {
    if (this.subject.unknowns.length > 0 || this.placement.verdict(index) !== 'infeasible') return undefined;
    const make = (): NodeFixes => fixesFor(this.placement, index, this.rules);
    if (this.podSize > SMALL_POD) return make();
    return kept(this.fixes, index, make, ({ pod, node }) => {
      const plans = [pod, node].flatMap((plan) => plan ?? []);
      return plans.every(({ changes, remaining }) => changes.length + remaining.length <= FEW_REASONS);
    });
  }
}

function kept<Value>(
  values: Map<number, Value>,
  key: number,
  make: () => Value,
  isSmall: (value: Value) => boolean,
): Value {
  let value = values.get(key);
  if (value === undefined) {
    value = make();
    if (values.size < MOST_NODES_KEPT && isSmall(value)) values.set(key, value);
  }
  return value;
}

/** What all evaluations that are kept may weigh together, in bytes, by their own rough count. */
const MOST_WEIGHT = 96 * 1024 * 1024;
/** One that weighs more than this is made anew each time. */
const GREATEST_WEIGHT = 8 * 1024 * 1024;
/** What an object takes in memory for each character that it has as JSON, its compiled rules included. */
const BYTES_OF_A_CHARACTER = 60;
const BYTES_OF_A_NODE = 24;

type Known = Map<string, { readonly found: EvaluatedPlacement; readonly entry: Entry }>;

interface Entry {
  /** Holds no state in memory that nobody else needs. */
  readonly of: WeakRef<Known>;
  readonly hash: string;
  readonly weight: number;
}

/**
 * The questions answered last, by state, so that the next page of an answer and the next look at a dashboard cost no
 * evaluation. They go with their state: a new head starts empty, and a state that memory was needed for takes them along.
 * All of them together have one budget of memory, however many states and however elaborate the pods; least recently
 * used first out.
 */
export class EvaluatedPlacements {
  private readonly byState = new WeakMap<ClusterState, Known>();
  /** In the order of their use. */
  private readonly entries = new Set<Entry>();
  private weight = 0;

  get(state: ClusterState, hash: string, evaluate: () => EvaluatedPlacement): EvaluatedPlacement {
    let known = this.byState.get(state);
    if (known === undefined) this.byState.set(state, (known = new Map() as Known));
    const there = known.get(hash);
    if (there !== undefined) {
      there.found.noteAskedAgain();
      this.entries.delete(there.entry);
      this.entries.add(there.entry);
      return there.found;
    }
    const found = evaluate();
    const weight = weightOf(found);
    if (weight > GREATEST_WEIGHT) return found;
    const entry: Entry = { of: new WeakRef(known), hash, weight };
    known.set(hash, { found, entry });
    this.entries.add(entry);
    this.weight += weight;
    this.makeRoom();
    return found;
  }

  private makeRoom(): void {
    for (const oldest of this.entries) {
      if (this.weight <= MOST_WEIGHT) return;
      this.entries.delete(oldest);
      this.weight -= oldest.weight;
      oldest.of.deref()?.delete(oldest.hash);
    }
  }
}

/** What an evaluation holds, the nodes that may come to be kept beside it included. */
function weightOf({ placement, podSize }: EvaluatedPlacement): number {
  const nodes = placement.state.nodes.count;
  const rendered = podSize > SMALL_POD ? 0 : Math.min(nodes, MOST_NODES_KEPT) * RENDERED_NODE;
  return podSize * BYTES_OF_A_CHARACTER + nodes * BYTES_OF_A_NODE + rendered;
}
