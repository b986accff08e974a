import { compare } from '../json/compare.js';
import type { Timestamp } from '../kubernetes/objects/meta.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import type { AttributedChange, FoundState, IntentOutcome, When } from './attributed-change.js';
import { endOfSecond, microsecondsOf } from '../kubernetes/moment.js';
import type { FieldOwner } from './field-ownership.js';
import type { TaintDifference } from './taint-difference.js';
import type { TrailRecordKind } from './trail-record.js';

/** A record about one node: its own members, without those of every record. */
export interface NodeRecord {
  readonly sequence: number;
  readonly kind: TrailRecordKind;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The record of a beginning or of an end. */
export interface HistoryMark {
  readonly sequence: number;
  /** The record of the write that applied a change made through this service, if it is known. */
  readonly carriedOutBy?: number;
  /** Whether the cluster has shown it: false for a change made through this service that has not been observed yet. */
  readonly confirmed: boolean;
}

/** A taint with one value, or the cordon, from its beginning to its end. */
export interface TaintInterval {
  readonly what: Taint | 'cordon';
  /** Without `from`, nothing is known about the time before. */
  readonly from: When;
  /** null if only the end is known. */
  readonly setBy: HistoryMark | null;
  /** null while it lasts. */
  readonly to: When | null;
  readonly removedBy: HistoryMark | null;
}

/** A change made through this service that the cluster has not adopted. */
export interface UnappliedChange {
  readonly sequence: number;
  readonly change: string;
  readonly difference: TaintDifference;
  readonly status: 'notApplied' | 'overwritten';
  /** The record of this outcome. */
  readonly decidingSequence: number;
}

export interface NodeHistory {
  /** By beginning, oldest first. */
  readonly intervals: readonly TaintInterval[];
  readonly unapplied: readonly UnappliedChange[];
}

/** A change made through this service, from its record. */
interface MadeHere {
  readonly change: string;
  readonly difference: TaintDifference;
  readonly when: { readonly at: Timestamp };
}

interface Outcome {
  readonly status: IntentOutcome['status'];
  readonly saidBy?: IntentOutcome['saidBy'];
  readonly sequence: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** One record at its position in time. */
interface Step {
  readonly time: number;
  readonly sequence: number;
  readonly take: (fold: HistoryFold) => void;
}

/**
 * The history of one node's taints and of its cordon as intervals, from its records.
 *
 * A change made through this service counts from when it was recorded, unconfirmed, until the cluster shows it; then it
 * counts from that time. A change that the cluster never showed is not an interval, but listed separately.
 *
 * Example: a snapshot of Monday lacks a taint, one of Tuesday has it, one of Wednesday lacks it. It began between
 * Monday and Tuesday and ended between Tuesday and Wednesday.
 *
 * @param records those of the node that are not superseded, in any order
 * @param intents whether changes without a known outcome count
 */
export function nodeHistory(
  records: readonly NodeRecord[],
  { intents }: { readonly intents: 'include' | 'exclude' },
): NodeHistory {
  const outcomes = outcomesIn(records);
  const steps: Step[] = [];
  const unapplied: UnappliedChange[] = [];
  for (const { sequence, kind, body } of records) {
    if (kind === 'found') steps.push(foundStep(sequence, body as unknown as FoundState));
    if (kind !== 'change') continue;
    if (body['channel'] !== 'api') {
      steps.push(changeStep(sequence, body as unknown as AttributedChange));
      continue;
    }
    const made = body as unknown as MadeHere;
    const outcome = outcomes.get(made.change);
    const status = outcome?.status ?? 'recorded';
    if (status === 'notApplied' || status === 'overwritten') {
      const { change, difference } = made;
      unapplied.push({ sequence, change, difference, status, decidingSequence: outcome!.sequence });
    } else if (status === 'confirmed' || intents === 'include') {
      steps.push(madeStep(sequence, made, outcome));
    }
  }
  const fold = new HistoryFold();
  steps.sort((a, b) => a.time - b.time || a.sequence - b.sequence);
  for (const step of steps) step.take(fold);
  return { intervals: fold.finish(), unapplied };
}

/** Whether something was present at a time: `maybe` if the time is within the interval of its beginning or its end. */
export function presenceAt({ from, to }: TaintInterval, moment: Timestamp): 'yes' | 'maybe' | 'no' {
  const at = microsecondsOf(moment) ?? 0;
  const [earliest, began] = boundsOf(from);
  const [ended, latest] = to === null ? [Infinity, Infinity] : boundsOf(to);
  // A point in time is exclusive at the end; an interval starts when the former state was last observed.
  const surelyOver = to?.kind === 'interval' ? latest <= at : ended <= at;
  if (at < earliest || (at === earliest && from.kind === 'interval') || surelyOver) return 'no';
  return at >= began && (to?.kind === 'interval' ? at <= ended : at < ended) ? 'yes' : 'maybe';
}

const boundsOf = (when: When): readonly [number, number] =>
  when.kind === 'point'
    ? [timeOf(when), timeOf(when)]
    : [when.from === undefined ? -Infinity : (microsecondsOf(when.from) ?? 0), timeOf(when)];

/** The outcomes of the changes made through this service, by ID; the last statement counts. */
function outcomesIn(records: readonly NodeRecord[]): ReadonlyMap<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  for (const { sequence, kind, body } of records) {
    if (kind !== 'intent') continue;
    const { change, status, saidBy } = body as unknown as Omit<IntentOutcome, 'id'> & { readonly change: string };
    const known = outcomes.get(change);
    if (known === undefined || known.sequence < sequence) {
      outcomes.set(change, { status, sequence, ...(saidBy !== undefined && { saidBy }) });
    }
  }
  return outcomes;
}

function foundStep(sequence: number, { state, when, lastWriters }: FoundState): Step {
  const mark = { sequence, confirmed: true };
  return {
    time: timeOf(when),
    sequence,
    take: (fold) => {
      const since = sinceWritten(when, lastWriters?.taints);
      for (const taint of state.taints) fold.begin(taint, since, mark);
      if (state.unschedulable) fold.begin('cordon', sinceWritten(when, lastWriters?.unschedulable), mark);
    },
  };
}

function changeStep(sequence: number, { difference, set, life, when }: AttributedChange): Step {
  const mark = { sequence, confirmed: true };
  return {
    time: timeOf(when),
    sequence,
    take: (fold) => {
      if (difference !== null) fold.differ(difference, when, mark);
      else if (life === 'deleted') fold.endAll(when, mark);
      else fold.set(set ?? {}, when, mark);
    },
  };
}

function madeStep(sequence: number, { difference, when }: MadeHere, outcome: Outcome | undefined): Step {
  const { at } = when;
  const seen = outcome?.saidBy !== undefined && 'observation' in outcome.saidBy ? outcome.saidBy.observation.at : at;
  const mark = { sequence, confirmed: outcome !== undefined };
  return {
    time: microsecondsOf(at) ?? 0,
    sequence,
    take: (fold) => {
      fold.differ(
        difference,
        seen === at ? { kind: 'point', at } : { kind: 'interval', from: at, to: seen },
        mark,
        true,
      );
    },
  };
}

/** A sole owner's value is unchanged since its entry was last written. */
function sinceWritten(when: When, owners: readonly FieldOwner[] | undefined): When {
  const [owner] = owners ?? [];
  const written = owners?.length === 1 && owner?.time !== undefined ? microsecondsOf(owner.time) : undefined;
  if (written === undefined || when.kind === 'point') return when;
  const end = endOfSecond(written);
  return (microsecondsOf(end) ?? Infinity) < timeOf(when) ? { ...when, to: end } : when;
}

interface OpenInterval extends Mutable<TaintInterval> {
  /** Only a change made through this service supports it. */
  meant: boolean;
}

class HistoryFold {
  private readonly all: OpenInterval[] = [];
  private readonly open = new Map<string, OpenInterval>();
  /** Ended by a change made through this service, while no observation shows it gone. */
  private readonly endedHere = new Map<string, OpenInterval>();

  finish(): readonly TaintInterval[] {
    return this.all
      .map(({ what, from, setBy, to, removedBy }) => ({ what, from, setBy, to, removedBy }))
      .sort((a, b) => timeOf(a.from) - timeOf(b.from) || compare(identityOf(a.what), identityOf(b.what)));
  }

  differ({ added, removed, changed, cordon }: TaintDifference, when: When, mark: HistoryMark, meant = false): void {
    for (const taint of removed) this.end(taint, when, mark, meant);
    for (const { before, after } of changed) {
      if (!this.isMeantAs(after)) this.end(before, when, mark, meant);
      this.begin(after, when, mark, meant);
    }
    for (const taint of added) this.begin(taint, when, mark, meant);
    if (cordon === 'cordoned') this.begin('cordon', when, mark, meant);
    if (cordon === 'uncordoned') this.end('cordon', when, mark, meant);
  }

  /** Fields were written whose former values are not known. */
  set({ taints, unschedulable }: NonNullable<AttributedChange['set']>, when: When, mark: HistoryMark): void {
    const since: When = { kind: 'interval', to: when.kind === 'point' ? when.at : when.to };
    if (taints !== undefined) {
      const named = new Set(taints.map(identityOf));
      for (const [identity, { what }] of [...this.open]) {
        if (what !== 'cordon' && !named.has(identity)) this.end(what, when, mark);
      }
      for (const taint of taints) this.begin(taint, since, mark);
    }
    if (unschedulable === true) this.begin('cordon', since, mark);
    if (unschedulable === false && this.open.has(identityOf('cordon'))) this.end('cordon', when, mark);
  }

  begin(what: TaintInterval['what'], from: When, mark: HistoryMark, meant = false): void {
    const identity = identityOf(what);
    const open = this.open.get(identity);
    if (open !== undefined) {
      if (isSame(open.what, what)) {
        if (!open.meant || meant) return;
        const setBy = { ...open.setBy!, carriedOutBy: mark.sequence, confirmed: true };
        Object.assign(open, { what, from, setBy, meant: false });
        return;
      }
      this.end(open.what, from, mark, meant);
    }
    const interval = { what, from, setBy: mark, to: null, removedBy: null, meant };
    this.open.set(identity, interval);
    this.all.push(interval);
  }

  end(what: TaintInterval['what'], to: When, mark: HistoryMark, meant = false): void {
    const identity = identityOf(what);
    const open = this.open.get(identity);
    if (open !== undefined) {
      Object.assign(open, { to, removedBy: mark });
      this.open.delete(identity);
      if (meant) this.endedHere.set(identity, open);
      return;
    }
    const ended = this.endedHere.get(identity);
    if (ended?.removedBy != null && !meant) {
      Object.assign(ended, { to, removedBy: { ...ended.removedBy, carriedOutBy: mark.sequence, confirmed: true } });
      this.endedHere.delete(identity);
      return;
    }
    const before = to.kind === 'point' ? to.at : (to.from ?? to.to);
    this.all.push({ what, from: { kind: 'interval', to: before }, setBy: null, to, removedBy: mark, meant });
  }

  endAll(to: When, mark: HistoryMark): void {
    for (const { what } of [...this.open.values()]) this.end(what, to, mark);
  }

  private isMeantAs(taint: Taint): boolean {
    const open = this.open.get(identityOf(taint));
    return open?.meant === true && isSame(open.what, taint);
  }
}

const identityOf = (what: TaintInterval['what']): string => (what === 'cordon' ? what : `${what.effect}\n${what.key}`);

const isSame = (a: TaintInterval['what'], b: TaintInterval['what']): boolean =>
  a === 'cordon' || b === 'cordon' ? a === b : (a.value ?? '') === (b.value ?? '');

/** When something was over, in microseconds. */
const timeOf = (when: When): number => microsecondsOf(when.kind === 'point' ? when.at : when.to) ?? 0;
