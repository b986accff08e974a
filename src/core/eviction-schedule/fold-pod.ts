import { evictionTime, type EvictionTime } from '../eviction/eviction-time.js';
import { exactly, type KnownMoment, laterOf, shifted } from '../eviction/known-moment.js';
import { delayMsOf } from '../eviction/timer-decision.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import type { PodDeviceEviction } from './device-evictions.js';
import type { Situation, SituationKnown } from './node-timeline.js';

/** An event after which the controller checks a pod, or forgets it. */
export type PodEvent = { readonly moment: KnownMoment } & (
  | { readonly what: 'taints'; readonly situation: Situation }
  | {
      readonly what: 'tolerations';
      readonly tolerations: readonly Toleration[];
      readonly known: 'snapshots' | 'question';
    }
  | { readonly what: 'bound' }
  /** Another client deletes the pod. */
  | { readonly what: 'removed' }
  | { readonly what: 'controllerStops' | 'controllerStarts' }
);

/** The event from which a timer counts: the last of those that restart it, and for taints how its time is known. */
export type BaseKnown = SituationKnown | 'binding' | 'tolerations' | 'controllerStart' | 'deviceTaint';

/** What happens to a pod because of NoExecute taints alone, of its node and of its devices. */
export interface PodOutcome {
  /** `leaves`: marked for deletion at `at`. */
  readonly action: 'leaves' | 'never';
  /** When the pod is marked for deletion; null if never. */
  readonly at: KnownMoment | null;
  /** The time from which the delay counts; null for `never`. */
  readonly base: KnownMoment | null;
  readonly known: BaseKnown | null;
  /** The result for these taints and tolerations. */
  readonly because: EvictionTime;
  /** The taints and tolerations that the decision is based on. */
  readonly situation: Situation | null;
  readonly tolerations: readonly Toleration[];
  /** The last event that would have resulted in another time, but left the running timer unchanged; null if there was none. */
  readonly keptAgainst: { readonly moment: KnownMoment; readonly because: EvictionTime } | null;
  /** The pod stays only because the controller is stopped. */
  readonly unwatched: boolean;
  /** The pod should have been marked before it was last seen, but was not. */
  readonly overdue: boolean;
  /** When and why a timer was cancelled. */
  readonly cancelled: { readonly moment: KnownMoment; readonly why: CancelReason } | null;
  /**
   * The time from which the timer may have fired before it was cancelled, in milliseconds since the epoch: the pod stays only
   * if it still existed then. Null if the timer cannot have fired.
   */
  readonly mayHaveLeftSince: number | null;
  /** Present if taints of devices evict the pod; `isFirst`: before those of its node do. */
  readonly devices?: PodDeviceEviction & { readonly isFirst: boolean };
}

/** The outcome of a pod that device taints evict, too: the earlier wins. @param seenAt when the pod was last seen, not being deleted */
export function withDevices(outcome: PodOutcome, eviction: PodDeviceEviction, seenAt: number): PodOutcome {
  if (outcome.at !== null && outcome.at.latest <= eviction.at) {
    return { ...outcome, devices: { ...eviction, isFirst: false } };
  }
  return {
    ...outcome,
    action: 'leaves',
    at: exactly(eviction.at),
    base: exactly(eviction.since),
    known: 'deviceTaint',
    unwatched: false,
    overdue: eviction.at <= seenAt,
    cancelled: null,
    mayHaveLeftSince: null,
    devices: { ...eviction, isFirst: true },
  };
}

/**
 * Why a timer was cancelled: no NoExecute taint is left, all that are left are tolerated without a time limit, the pod was
 * deleted, or the controller was stopped and lost its memory.
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

/** The state of a pod before its first event. */
export interface PodStart {
  readonly tolerations: readonly Toleration[];
  /** Whether the pod is on its node from the beginning; otherwise the event `bound` puts it there. */
  readonly bound: boolean;
  /** When the pod was last seen and was not being deleted, in milliseconds since the epoch; -Infinity if never. */
  readonly seenAt: number;
}

/**
 * What the taint eviction controller does with one pod, given the events of its life in order by `moment.latest`. The rules
 * are those of `stepTaintEviction`, applied to moments that are known only as intervals.
 *
 * The timer counts from the latest of the taint's addition, the pod's binding and the controller's start. The pod still
 * existed when it was last seen, so no timer fired before that; if one should have, the controller missed it (`overdue`).
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
  /** The latest of the events from which a new timer counts. */
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

  /** @returns false if the pod has certainly left, so that later events do not matter */
  take(event: PodEvent): boolean {
    const { moment } = event;
    const fires = this.firing();
    if (fires !== undefined && moment.latest > this.start.seenAt && fires.latest <= moment.latest) {
      // The end of the pod is uncertain if the event may come before the timer fires and cancel it, or if the taint may never
      // be added.
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
      // An earlier timer may have fired before it was cancelled.
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

  /** When the timer fires; not before the pod was last seen, unless it was overdue even then. */
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

/** The delay of a timer in milliseconds; 0 for an immediate eviction. */
const delayOf = (because: EvictionTime): number => ('delay' in because ? delayMsOf(because) : 0);
