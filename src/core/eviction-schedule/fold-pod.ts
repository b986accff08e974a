import { evictionTime, type EvictionTime } from '../eviction/eviction-time.js';
import { type KnownMoment, laterOf, shifted } from '../eviction/known-moment.js';
import { delayMsOf } from '../eviction/timer-decision.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import type { Situation, SituationKnown } from './node-timeline.js';

/** Something that makes the controller look at a pod, or forget it. */
export type PodEvent = { readonly moment: KnownMoment } & (
  | { readonly what: 'taints'; readonly situation: Situation }
  | {
      readonly what: 'tolerations';
      readonly tolerations: readonly Toleration[];
      readonly known: 'snapshots' | 'question';
    }
  | { readonly what: 'bound' }
  /** Its object is deleted, by somebody else. */
  | { readonly what: 'removed' }
  | { readonly what: 'controllerStops' | 'controllerStarts' }
);

/** How the moment from which a timer counts is known: what began last. */
export type BaseKnown = SituationKnown | 'binding' | 'tolerations' | 'controllerStart';

/** What becomes of a pod, by the taints alone. */
export interface PodOutcome {
  /** `leaves`: marked for deletion at `at`. */
  readonly action: 'leaves' | 'never';
  /** When it is marked for deletion; null where it never is. */
  readonly at: KnownMoment | null;
  /** From when the decisive seconds count; null where nothing was ever decided. */
  readonly base: KnownMoment | null;
  readonly known: BaseKnown | null;
  /** What taints and tolerations said when it was decided. */
  readonly because: EvictionTime;
  /** The taints and tolerations that it was decided on. */
  readonly situation: Situation | null;
  readonly tolerations: readonly Toleration[];
  /**
   * What came while its timer ran and would have given it another time by itself: it changed nothing. The last of it; null where
   * nothing did.
   */
  readonly keptAgainst: { readonly moment: KnownMoment; readonly because: EvictionTime } | null;
  /** It stays because the controller does not run, and nobody acts on what taints and tolerations say. */
  readonly unwatched: boolean;
  /** It should have been marked before the pod was seen last, and was not. */
  readonly overdue: boolean;
  /** A timer was cancelled, then and for this reason. */
  readonly cancelled: { readonly moment: KnownMoment; readonly why: CancelReason } | null;
  /** It stays if it was there still when its timer was cancelled; the timer may have fired from then on. */
  readonly mayHaveLeftSince: number | null;
}

/**
 * Why a timer was cancelled: no NoExecute taint is left, all that is left is tolerated for ever, the pod is gone, or the controller was
 * stopped, and forgot it.
 */
export type CancelReason = 'taintsRemoved' | 'toleratedForever' | 'podRemoved' | 'controllerStopped';

interface Pending {
  readonly base: KnownMoment;
  readonly known: BaseKnown;
  readonly delayMs: number;
  readonly because: EvictionTime;
  readonly situation: Situation;
  readonly tolerations: readonly Toleration[];
}

/** What a pod is before its first event. */
export interface PodStart {
  readonly tolerations: readonly Toleration[];
  /** It is on its node from the beginning; otherwise from its event `bound` on. */
  readonly bound: boolean;
  /** When the pod was seen last, not being deleted, in milliseconds since the epoch; -Infinity where it never was. */
  readonly seenAt: number;
}

/**
 * What the taint eviction controller makes of one pod over the events of its life, in order by `moment.latest`; the same rules as
 * `stepTaintEviction`, over moments that are known as intervals only.
 *
 * The timer counts from the latest of the taints' appearance, the pod's binding and the controller's start. Since the pod was there
 * when it was seen last, no timer has fired before that: what must have, was not seen by the controller (`overdue`).
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/tainteviction/taint_eviction.go, `processPodOnNode`.
 */
export function foldPod(events: readonly PodEvent[], start: PodStart, gates: TolerationGates): PodOutcome {
  const fold = new PodFold(start, gates);
  for (const event of events) {
    if (!fold.take(event)) break;
  }
  return fold.outcome();
}

class PodFold {
  private tolerations: readonly Toleration[];
  private bound: boolean;
  private runs = true;
  private situation: Situation | undefined;
  /** The latest of what the base counts from. */
  private since: { readonly moment: KnownMoment; readonly known: BaseKnown } | undefined;
  private pending: Pending | undefined;
  private last: Pick<Pending, 'because' | 'situation' | 'tolerations'> | undefined;
  private cancelled: PodOutcome['cancelled'] = null;
  private keptAgainst: PodOutcome['keptAgainst'] = null;
  private mayHaveLeftSince: number | null = null;

  constructor(
    private readonly start: PodStart,
    private readonly gates: TolerationGates,
  ) {
    this.tolerations = start.tolerations;
    this.bound = start.bound;
  }

  /** @returns false when the pod has left for sure, so that nothing after counts */
  take(event: PodEvent): boolean {
    const { moment } = event;
    const fires = this.firing();
    if (fires !== undefined && moment.latest > this.start.seenAt && fires.latest <= moment.latest) {
      // What may come before the timer fires, and cancels it, makes the end of the pod unsure; so does a taint that perhaps never comes.
      const isSure = fires.latest <= moment.earliest && this.pending?.situation.perhaps !== true;
      if (isSure || !this.cancels(event)) return false;
    }
    switch (event.what) {
      case 'taints':
        this.situation = event.situation;
        this.look(moment, event.situation.known);
        break;
      case 'tolerations':
        this.tolerations = event.tolerations;
        if (this.isTainted()) this.look(moment, 'tolerations');
        break;
      case 'bound':
        this.bound = true;
        this.look(moment, 'binding');
        break;
      case 'removed':
        this.cancel(moment, 'podRemoved');
        return false;
      case 'controllerStops':
        this.runs = false;
        this.cancel(moment, 'controllerStopped');
        break;
      case 'controllerStarts':
        this.runs = true;
        this.cancel(moment, 'controllerStopped');
        this.look(moment, 'controllerStart');
    }
    return true;
  }

  outcome(): PodOutcome {
    const { pending, cancelled, mayHaveLeftSince } = this;
    const at = this.firing();
    if (pending === undefined || at === undefined) {
      return {
        action: 'never',
        at: null,
        base: null,
        known: null,
        because: this.last?.because ?? { action: 'none' },
        situation: this.last?.situation ?? null,
        tolerations: this.last?.tolerations ?? this.tolerations,
        keptAgainst: null,
        unwatched: !this.runs && this.isTainted(),
        overdue: false,
        cancelled,
        mayHaveLeftSince,
      };
    }
    const { base, known, because, situation, tolerations } = pending;
    const overdue = at.latest < this.start.seenAt;
    return {
      action: 'leaves',
      // A timer before this one may have fired before it was cancelled.
      at: { ...at, earliest: Math.min(at.earliest, mayHaveLeftSince ?? Infinity) },
      base,
      known,
      because,
      situation,
      tolerations,
      keptAgainst: this.keptAgainst,
      unwatched: false,
      overdue,
      cancelled: null,
      mayHaveLeftSince: null,
    };
  }

  /** When the timer fires; not before the pod was seen last, unless it should have. */
  private firing(): KnownMoment | undefined {
    if (this.pending === undefined) return undefined;
    const { seenAt } = this.start;
    const fires = shifted(this.pending.base, this.pending.delayMs);
    return fires.latest >= seenAt && fires.earliest < seenAt ? { earliest: seenAt, latest: fires.latest } : fires;
  }

  private cancels(event: PodEvent): boolean {
    if (event.what === 'bound') return false;
    if (event.what !== 'taints' && event.what !== 'tolerations') return true;
    const tolerations = event.what === 'tolerations' ? event.tolerations : this.tolerations;
    const situation = event.what === 'taints' ? event.situation : this.situation;
    if (situation === undefined || situation.nodeGone === true) return false;
    const { action } = this.timeOf(tolerations, situation);
    return action === 'none' || action === 'never';
  }

  private timeOf(tolerations: readonly Toleration[], situation: Situation): EvictionTime {
    const { last } = this;
    if (last?.situation === situation && last.tolerations === tolerations) return last.because;
    return evictionTime(tolerations, situation.taints, this.gates);
  }

  private isTainted(): boolean {
    return (this.situation?.taints.length ?? 0) > 0;
  }

  private look(moment: KnownMoment, known: BaseKnown): void {
    if (this.since === undefined || moment.latest >= this.since.moment.latest) {
      this.since = { moment: laterOf(this.since?.moment ?? moment, moment), known };
    }
    const { situation, since } = this;
    if (!this.bound || situation === undefined || situation.nodeGone === true) return;
    const { tolerations } = this;
    const because = this.timeOf(tolerations, situation);
    this.last = { because, situation, tolerations };
    if (!this.runs) return;
    if (because.action === 'none' || because.action === 'never') {
      this.cancel(moment, because.action === 'none' ? 'taintsRemoved' : 'toleratedForever');
      return;
    }
    const isAtOnce = because.untolerated !== undefined;
    const startedNow = this.pending?.base.latest === since.moment.latest;
    if (!isAtOnce && this.pending?.because.action === 'after' && !startedNow) {
      if (delayOf(because) !== this.pending.delayMs) this.keptAgainst = { moment, because };
      return;
    }
    const delayMs = delayOf(because);
    this.keptAgainst = null;
    this.pending = { base: since.moment, known: since.known, delayMs, because, situation, tolerations };
  }

  private cancel(moment: KnownMoment, why: CancelReason): void {
    const fires = this.firing();
    if (fires === undefined) return;
    if (moment.latest > this.start.seenAt && fires.earliest <= moment.latest) {
      this.mayHaveLeftSince = Math.min(this.mayHaveLeftSince ?? Infinity, fires.earliest);
    }
    this.cancelled = { moment, why };
    this.pending = undefined;
  }
}

/** For how long a timer would run; nothing for an eviction at once. */
const delayOf = (because: EvictionTime): number => ('delay' in because ? delayMsOf(because) : 0);
