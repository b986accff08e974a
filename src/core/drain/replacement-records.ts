import type { Workload } from '../cluster/pod-table.js';
import type { ReplacementSink } from '../rescheduling/replacement-sink.js';
import type { NeverReplaced, NodesFound, Refusal, ReschedulingUnknown } from '../rescheduling/rescheduling.js';
import type { RollingReplacement } from './drain-plan.js';

/** A replacement that was placed, or whose node is not known, since the last `takeStarted`. */
export interface Started {
  /** The pod that it replaces. */
  readonly pod: number;
  readonly at: number;
  readonly known: boolean;
}

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

/** Follows the replacements of a drain: their results by pod, and which were placed at a moment. */
export class ReplacementRecords implements ReplacementSink {
  hasUnknown = false;
  private readonly byPod = new Map<number, Writable<RollingReplacement>>();
  private started: Started[] = [];
  private readonly unknownWorkloads = new Map<Workload, readonly ReschedulingUnknown[]>();
  /** Pods whose replacements were placed on a node, in that order. */
  private readonly placedOn = new Map<number, number[]>();

  constructor(private readonly workloadOf: (pod: number) => Workload) {}

  /** Undefined for a pod that was not evicted. */
  of(pod: number): RollingReplacement | undefined {
    return this.byPod.get(pod);
  }

  /** The pods whose replacements were placed on a node. */
  landedOn(node: number): readonly number[] {
    return this.placedOn.get(node) ?? [];
  }

  takeStarted(): readonly Started[] {
    const { started } = this;
    this.started = [];
    return started;
  }

  wantsNodes(): boolean {
    return false;
  }

  wantsRefusal(): boolean {
    return true;
  }

  marked(pod: number): void {
    this.record(pod);
  }

  gone(pod: number): void {
    this.record(pod);
  }

  neverReplaced(pod: number, why: NeverReplaced): void {
    const record = this.record(pod);
    const because = this.unknownWorkloads.get(this.workloadOf(pod));
    if (why !== 'waitsForLowerOrdinal' || because === undefined) {
      record.never = why;
      return;
    }
    // The pod that it waits for may get a node, or may not.
    record.verdict = 'unknown';
    record.unknownBecause = because;
  }

  replaced(pod: number, at: number): void {
    this.record(pod).at = at;
  }

  unknown(pod: number, because: readonly ReschedulingUnknown[], at: number): void {
    this.hasUnknown = true;
    const record = this.record(pod);
    record.verdict = 'unknown';
    record.unknownBecause = because;
    this.unknownWorkloads.set(this.workloadOf(pod), because);
    this.started.push({ pod, at, known: false });
  }

  landed(pod: number, at: number, { best }: NodesFound): void {
    const record = this.record(pod);
    const node = best[0]!;
    record.verdict = 'feasible';
    record.node = node;
    record.landedAt = at;
    this.started.push({ pod, at, known: true });
    const others = this.placedOn.get(node);
    if (others === undefined) this.placedOn.set(node, [pod]);
    else others.push(pod);
  }

  readyAt(pod: number, at: number): void {
    this.record(pod).readyAt = at;
  }

  refused(pod: number, refusal: Refusal | undefined): void {
    const record = this.record(pod);
    record.verdict = 'none';
    if (refusal !== undefined) record.refusal = refusal;
  }

  leftWithout(): void {
    // Its verdict is `none` already.
  }

  endMoment(): void {
    // Only pods are recorded.
  }

  private record(pod: number): Writable<RollingReplacement> {
    let record = this.byPod.get(pod);
    if (record === undefined) this.byPod.set(pod, (record = {}));
    return record;
  }
}
