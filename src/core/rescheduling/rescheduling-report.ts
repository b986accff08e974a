import type { ClusterState } from '../cluster/cluster-state.js';
import type { Workload } from '../cluster/pod-table.js';
import { addInt64 } from '../cluster/resource-table.js';
import { workloadKey } from '../inventory/pod-groups.js';
import { compare } from '../json/compare.js';
import type { Int64 } from '../kubernetes/objects/meta.js';
import type { ReplacementClass } from './replacement-classes.js';
import type { ReplacementSink } from './replacement-sink.js';
import { FirstFew } from '../collections/first-few.js';
import type {
  ReschedulingMoment,
  Rescheduling,
  ReschedulingTotals,
  NeverReplaced,
  NodesFound,
  RescheduledPod,
  Refusal,
  Room,
  ReschedulingUnknown,
  RescheduledWorkload,
} from './rescheduling.js';

/** The number of pods of a workload that are named. */
const MAX_PODS_OF_WORKLOAD = 10;

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };
type Row = Writable<RescheduledPod>;

interface Tally extends Writable<Omit<RescheduledWorkload, 'pods'>> {
  readonly pods: number[];
}

/** Collects the results of the plan, with memory in proportion to what is listed. */
export class ReschedulingReport implements ReplacementSink {
  private readonly rows = new Map<number, Row>();
  private readonly moments: ReschedulingMoment[] = [];
  private momentCount = 0;
  private readonly tallies = new Map<Workload, Tally>();
  private readonly totals = {
    evicted: 0,
    gone: 0,
    replaced: 0,
    landed: 0,
    landedLater: 0,
    withoutNode: 0,
    unknown: 0,
    requested: { milliCPU: 0 as Int64, memory: 0 as Int64 },
  };
  private readonly never = new Map<NeverReplaced, number>();
  private moment = emptyMoment();
  private rowCount = 0;
  /** By pod: 1 if it is counted. */
  private readonly counted: Uint8Array;

  constructor(
    private readonly state: ClusterState,
    private readonly mostListed: number,
    private readonly mostMoments: number,
  ) {
    this.counted = new Uint8Array(state.pods.count);
  }

  get hasUnknown(): boolean {
    return this.totals.unknown > 0;
  }

  /** Whether the report lists more of the pod's nodes than the chosen one. */
  wantsNodes(pod: number): boolean {
    return this.rows.has(pod);
  }

  marked(pod: number, at: number): void {
    this.totals.evicted++;
    this.moment.evicted++;
    const row = this.rowOf(pod);
    if (row !== undefined) row.markedAt = at;
  }

  gone(pod: number, at: number): void {
    this.totals.gone++;
    this.moment.gone++;
    const row = this.rowOf(pod);
    if (row !== undefined) row.goneAt = at;
  }

  neverReplaced(pod: number, why: NeverReplaced): void {
    this.never.set(why, (this.never.get(why) ?? 0) + 1);
    const row = this.rowOf(pod);
    if (row !== undefined) row.never = why;
  }

  replaced(pod: number, at: number): void {
    this.totals.replaced++;
    this.moment.replaced++;
    this.tallyOf(pod).replaced++;
    const row = this.rowOf(pod);
    if (row !== undefined) row.replacementAt = at;
  }

  unknown(
    pod: number,
    because: readonly ReschedulingUnknown[],
    _at: number,
    { feasible, unknown, best }: NodesFound = NOT_FOUND,
  ): void {
    this.totals.unknown++;
    this.moment.unknown++;
    this.tallyOf(pod).unknown++;
    const row = this.rowOf(pod);
    if (row === undefined) return;
    row.verdict = 'unknown';
    row.unknownBecause = because;
    row.feasibleNodes = feasible;
    row.unknownNodes = unknown;
    row.nodes = this.names(best);
  }

  landed(
    pod: number,
    at: number,
    { feasible, unknown, best, devices }: NodesFound,
    { requested }: Pick<ReplacementClass, 'requested'>,
    waited: boolean,
  ): void {
    this.totals.landed++;
    this.moment.landed++;
    if (waited) this.totals.landedLater++;
    this.tallyOf(pod).landed++;
    for (const room of [this.totals.requested, this.moment.requested]) {
      room.milliCPU = addInt64(room.milliCPU, requested.milliCPU);
      room.memory = addInt64(room.memory, requested.memory);
    }
    const row = this.rowOf(pod);
    if (row === undefined) return;
    row.verdict = 'feasible';
    row.feasibleNodes = feasible;
    row.unknownNodes = unknown;
    row.nodes = this.names(best);
    row.chosen = row.nodes[0]!;
    row.landedAt = at;
    if (devices !== undefined) row.devices = devices;
    row.order = this.totals.landed;
  }

  /** Whether the report would include an explanation for the pod. */
  wantsRefusal(pod: number): boolean {
    return this.rows.has(pod) || this.tallyOf(pod).refusal === undefined;
  }

  refused(pod: number, refusal: Refusal | undefined): void {
    this.moment.withoutNode++;
    const tally = this.tallyOf(pod);
    if (refusal !== undefined) tally.refusal ??= refusal;
    const row = this.rows.get(pod);
    if (row === undefined) return;
    row.verdict = 'none';
    if (refusal !== undefined) row.refusal = refusal;
  }

  /** A pod has no node at the end. */
  leftWithout(pod: number): void {
    this.totals.withoutNode++;
    const tally = this.tallyOf(pod);
    tally.withoutNode++;
    if (tally.pods.length < MAX_PODS_OF_WORKLOAD) tally.pods.push(pod);
  }

  endMoment(at: number, waiting: number, free: Room): void {
    this.momentCount++;
    if (this.moments.length < this.mostMoments) this.moments.push({ at, ...this.moment, waiting, free });
    this.moment = emptyMoment();
  }

  finish(rest: Pick<Rescheduling, 'evaluations' | 'assumptions'>): Rescheduling {
    const few = new FirstFew<Tally>(
      this.mostListed,
      (a, b) => b.withoutNode - a.withoutNode || compare(workloadKey(a.workload), workloadKey(b.workload)),
    );
    for (const tally of this.tallies.values()) if (tally.withoutNode > 0) few.add(tally);
    const never = Object.fromEntries([...this.never].sort(([a], [b]) => compare(a, b)));
    const totals: ReschedulingTotals = { ...this.totals, never };
    return {
      pods: { total: this.rowCount, items: [...this.rows.values()] },
      timeline: { total: this.momentCount, items: this.moments },
      workloads: few.listed((tally) => tally),
      totals,
      ...rest,
    };
  }

  private rowOf(pod: number): Row | undefined {
    const known = this.rows.get(pod);
    if (known !== undefined) return known;
    if (this.counted[pod] === 1) return undefined;
    this.counted[pod] = 1;
    this.rowCount++;
    if (this.rows.size >= this.mostListed) return undefined;
    const { pods, nodes } = this.state;
    const from = pods.nodeIndex(pod);
    const row: Row = {
      pod,
      workload: pods.workload(pod),
      ...(from >= 0 && { from: nodes.name(from) }),
      feasibleNodes: 0,
      unknownNodes: 0,
      nodes: [],
    };
    this.rows.set(pod, row);
    return row;
  }

  private tallyOf(pod: number): Tally {
    const workload = this.state.pods.workload(pod);
    let tally = this.tallies.get(workload);
    if (tally === undefined) {
      tally = { workload, replaced: 0, landed: 0, unknown: 0, withoutNode: 0, pods: [] };
      this.tallies.set(workload, tally);
    }
    return tally;
  }

  private names(best: readonly number[]): readonly string[] {
    return best.map((node) => this.state.nodes.name(node));
  }
}

const NOT_FOUND: NodesFound = { feasible: 0, unknown: 0, best: [] };

const emptyMoment = () => ({
  evicted: 0,
  gone: 0,
  replaced: 0,
  landed: 0,
  withoutNode: 0,
  unknown: 0,
  requested: { milliCPU: 0 as Int64, memory: 0 as Int64 },
});
