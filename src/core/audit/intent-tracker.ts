import type { IntentOutcome } from './attributed-change.js';
import type { TaintIntent } from './evidence.js';
import type { RecordedTaint } from './rule-subject.js';
import { type NodeTaintState, saysTheSame, type TaintDifference } from './taint-difference.js';

/** The identity of the cordon, next to those of taints. */
const CORDON = 'cordon';

/** The identities that a difference concerns: each taint by key and effect, and the cordon. */
export function touchedBy({ added, removed, changed, cordon }: TaintDifference): Set<string> {
  const touched = new Set([...added, ...removed, ...changed.map(({ after }) => after)].map(identityOf));
  if (cordon !== undefined) touched.add(CORDON);
  return touched;
}

/** The part of a difference that concerns the identities of `wanted`. */
export function partOf(difference: TaintDifference, wanted: (identity: string) => boolean): TaintDifference {
  const ofTaint = (taint: RecordedTaint): boolean => wanted(identityOf(taint));
  return {
    added: difference.added.filter(ofTaint),
    removed: difference.removed.filter(ofTaint),
    changed: difference.changed.filter(({ after }) => ofTaint(after)),
    ...(difference.cordon !== undefined && wanted(CORDON) && { cordon: difference.cordon }),
  };
}

/** Tracks the intents of one node until the cluster shows their outcome. */
export class IntentTracker {
  private readonly outcomes = new Map<string, IntentOutcome>();
  /** Unconfirmed intents by identity, so that a change checks only those that it may confirm. */
  private readonly open = new Map<string, Map<string, TaintIntent>>();
  /** Intents that no snapshot has judged yet. */
  private unjudged: TaintIntent[] = [];

  add(intent: TaintIntent): void {
    this.outcomes.set(intent.id, { id: intent.id, node: intent.node, status: 'recorded' });
    this.unjudged.push(intent);
    for (const identity of touchedBy(intent.difference)) {
      const others = this.open.get(identity);
      if (others === undefined) this.open.set(identity, new Map([[intent.id, intent]]));
      else others.set(intent.id, intent);
    }
  }

  /**
   * Confirms the intents that a change fulfilled: those that concern the same identities and agree with the state after
   * it.
   */
  confirm(change: TaintDifference, after: NodeTaintState, saidBy: NonNullable<IntentOutcome['saidBy']>): TaintIntent[] {
    const asked = new Map<string, TaintIntent>();
    for (const identity of touchedBy(change)) {
      for (const intent of this.open.get(identity)?.values() ?? []) asked.set(intent.id, intent);
    }
    if (asked.size === 0) return [];
    const stands = new Standing(after);
    const confirmed = [...asked.values()].filter(({ difference }) => stands.agreesAfter(difference));
    for (const intent of confirmed) this.settle(intent, saidBy);
    return confirmed;
  }

  /** Judges the intents recorded since the previous snapshot. A later change may still confirm them. */
  judge(state: NodeTaintState, saidBy: NonNullable<IntentOutcome['saidBy']>): void {
    if (this.unjudged.length === 0) return;
    const stands = new Standing(state);
    for (const intent of this.unjudged) {
      const { id, node, difference } = intent;
      if (this.outcomes.get(id)?.status !== 'recorded') continue;
      if (stands.agreesAfter(difference)) this.settle(intent, saidBy);
      else {
        const status = stands.agreesBefore(difference) ? 'notApplied' : 'overwritten';
        this.outcomes.set(id, { id, node, status, saidBy });
      }
    }
    this.unjudged = [];
  }

  finish(): IntentOutcome[] {
    return [...this.outcomes.values()];
  }

  private settle({ id, node, difference }: TaintIntent, saidBy: NonNullable<IntentOutcome['saidBy']>): void {
    this.outcomes.set(id, { id, node, status: 'confirmed', saidBy });
    for (const identity of touchedBy(difference)) this.open.get(identity)?.delete(id);
  }
}

/** A node's taints by identity, to check whether it has the result of a difference. */
class Standing {
  private readonly taints: ReadonlyMap<string, RecordedTaint>;

  constructor(private readonly state: NodeTaintState) {
    this.taints = new Map(state.taints.map((taint) => [identityOf(taint), taint]));
  }

  agreesAfter({ added, removed, changed, cordon }: TaintDifference): boolean {
    return (
      added.every((taint) => this.holds(taint)) &&
      changed.every(({ after }) => this.holds(after)) &&
      removed.every((taint) => !this.taints.has(identityOf(taint))) &&
      (cordon === undefined || (cordon === 'cordoned') === this.state.unschedulable)
    );
  }

  agreesBefore({ added, removed, changed, cordon }: TaintDifference): boolean {
    return (
      added.every((taint) => !this.taints.has(identityOf(taint))) &&
      changed.every(({ before }) => this.holds(before)) &&
      removed.every((taint) => this.holds(taint)) &&
      (cordon === undefined || (cordon === 'cordoned') !== this.state.unschedulable)
    );
  }

  private holds(taint: RecordedTaint): boolean {
    const standing = this.taints.get(identityOf(taint));
    return standing !== undefined && saysTheSame(standing, taint);
  }
}

const identityOf = ({ key, effect }: RecordedTaint): string => `${effect}\n${key}`;
