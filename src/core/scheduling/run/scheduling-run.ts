import type { ClusterState } from '../../cluster/cluster-state.js';
import { defined } from '../../collections/defined.js';
import { claimsToMake } from '../../admission/claims-to-make.js';
import type { ClaimAllocation } from '../../devices/device-allocator.js';
import type { Int64, KubernetesObject } from '../../kubernetes/objects/meta.js';
import type { ResourceClaim } from '../../kubernetes/objects/dra.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import type { VolumeClaimTemplate } from '../../kubernetes/objects/workloads.js';
import { evaluatePlacement } from '../../placement/evaluate-placement.js';
import type { Placement } from '../../placement/placement.js';
import { NAME as AFFINITY } from '../../placement/plugins/inter-pod-affinity/inter-pod-affinity.js';
import { assumedDevices } from '../../placement/plugins/dynamic-resources/assumed-devices.js';
import { followDevices } from '../../placement/plugins/dynamic-resources/cluster-devices.js';
import { assumedVolumes } from '../../placement/plugins/volume-binding/volume-binding.js';
import type { Reason } from '../../placement/reason.js';
import { schedulePod, type Decision, type SchedulingProfile } from '../schedule-pod.js';
import { mindsOthers, OF_ONE_NODE } from './filter-dependencies.js';
import { NodeBoard } from './node-board.js';
import { PodClasses, type PodReading } from './pod-classes.js';
import { PodKinds } from './pod-kinds.js';

/** The decision for a pod of a run. */
export type RunDecision =
  | {
      readonly outcome: 'placed';
      readonly node: number;
      readonly feasible: number;
      /** The number of nodes with the greatest total. */
      readonly tied: number;
      /** Absent if only one node is feasible. */
      readonly total?: number;
      /** See `Decision`. */
      readonly uncertain?: readonly string[];
      /** What the pod's claims for devices get. */
      readonly devices?: readonly ClaimAllocation[];
    }
  /** `placement` is computed when called, for the state at the time of this decision. */
  | {
      readonly outcome: 'unplaced';
      readonly placement: () => Placement;
      /** Whether `placement` needs the state with every placed pod; `stepState` creates that in steps. */
      readonly needsState: () => boolean;
    }
  | { readonly outcome: 'error'; readonly plugin: string; readonly message: string };

export interface RunOptions {
  /** Chooses one of the nodes with the greatest total: returns a number less than `tied`. By default the first by name. */
  readonly pick?: (tied: number) => number;
}

/** The number of pods that are added to a state per step. */
const STATE_PIECE = 512;

/**
 * Places pods one after another, each after those before it. The decisions are those of `schedulePod` at a fraction of the
 * cost: what depends on the spec is computed once, and after a pod comes to a node, only that node is evaluated again.
 *
 * `schedulePod` itself decides about pods with volumes or claims, and whenever the result of a filter is unknown.
 */
export class SchedulingRun {
  private readonly board: NodeBoard;
  private readonly classes: PodClasses;
  /** The base state with the first `currentHas` placed pods. */
  private current: ClusterState;
  private currentHas = 0;
  private readonly bound: { readonly pod: Pod; readonly node: number }[] = [];
  /** Claims, of volumes and of devices, and volumes that differ from the base state, in order; each is valid once `placed` pods have been placed. */
  private readonly storage: { readonly placed: number; readonly object: KubernetesObject }[] = [];

  /** The pod that has just been placed, with the claims that were made for it. */
  private assumed: Pod | undefined;
  /** Whether a pod with devices has been placed. */
  private followsDevices = false;

  constructor(
    private readonly base: ClusterState,
    private readonly profile: SchedulingProfile,
    private readonly options: RunOptions = {},
    kinds: PodKinds = PodKinds.in(base),
  ) {
    this.current = base;
    this.board = new NodeBoard(base);
    this.classes = new PodClasses(base, profile, this.board, kinds);
  }

  /** The same as the constructor, in steps. */
  static *stepOpen(
    base: ClusterState,
    profile: SchedulingProfile,
    options: RunOptions = {},
  ): Generator<undefined, SchedulingRun> {
    return new SchedulingRun(base, profile, options, yield* PodKinds.stepIn(base));
  }

  /**
   * Decides about a pod, and if it is placed, adds it to its node.
   *
   * @param pod not bound, as the scheduler sees it; its name is unique in its namespace
   * @param claimTemplates the claim templates of its StatefulSet, whose claims are created first
   * @param unknowns as `EvaluationQuestion.unknowns`
   * @throws QuantityError for a pod with an invalid quantity in its requests
   */
  schedule(
    pod: Pod,
    claimTemplates: readonly VolumeClaimTemplate[] = [],
    unknowns: readonly Reason[] = [],
  ): RunDecision {
    const reading = this.classes.read(pod);
    const quick = unknowns.length > 0 ? undefined : this.decideFast(reading, pod);
    const decision = quick ?? this.decidePlainly(pod, claimTemplates, unknowns);
    if (decision.outcome === 'placed') {
      this.board.arrive(reading.kind, decision.node, this.classes.held(reading));
      this.bound.push({ pod: this.assumed ?? pod, node: decision.node });
      this.assumed = undefined;
    }
    return decision;
  }

  nodeName(node: number): string {
    return this.base.nodes.name(node);
  }

  /** The state with every pod that has been placed. */
  state(): ClusterState {
    this.current = this.stateWith(this.bound.length);
    this.currentHas = this.bound.length;
    return this.current;
  }

  /** The same, in steps: after it, `state` and the placement of the last decision take no more time. */
  *stepState(): Generator<undefined, ClusterState> {
    while (this.currentHas < this.bound.length) {
      const next = Math.min(this.currentHas + STATE_PIECE, this.bound.length);
      this.current = this.stateWith(next);
      this.currentHas = next;
      yield;
    }
    return this.current;
  }

  private stateWith(placed: number): ClusterState {
    if (placed === this.currentHas) return this.current;
    const [start, from] = placed > this.currentHas ? [this.current, this.currentHas] : [this.base, 0];
    const changed = this.changedClaims(from, placed);
    const state = start.apply({ upserts: [...changed, ...this.boundPods(from, placed)] });
    if (this.followsDevices) {
      followDevices(
        state,
        start,
        changed.filter((object): object is ResourceClaim => object.kind === 'ResourceClaim'),
      );
    }
    return state;
  }

  /** The claims and volumes that have changed since there were `from` placed pods. */
  private changedClaims(from: number, placed: number): readonly KubernetesObject[] {
    const changed: KubernetesObject[] = [];
    for (let index = this.storage.length - 1; index >= 0; index--) {
      const one = this.storage[index]!;
      if (from > 0 && one.placed <= from) break;
      if (one.placed <= placed) changed.push(one.object);
    }
    return changed.reverse();
  }

  private makeClaims(pod: Pod, claimTemplates: readonly VolumeClaimTemplate[]): void {
    if (pod.spec.volumes === undefined) return;
    const claims = claimsToMake(this.state(), pod, claimTemplates);
    if (claims.length === 0) return;
    this.keepStorage(claims, this.bound.length);
    this.current = this.current.apply({ upserts: claims });
  }

  private keepStorage(objects: readonly KubernetesObject[], placed: number): void {
    for (const object of objects) this.storage.push({ placed, object });
  }

  private assumeDevices(state: ClusterState, pod: Pod, node: number): readonly ClaimAllocation[] | undefined {
    const assumed = assumedDevices({ state, pod, filters: this.profile.filters }, node);
    if (assumed === undefined) return undefined;
    this.followsDevices = true;
    this.keepStorage(assumed.claims, this.bound.length + 1);
    this.assumed = assumed.pod;
    return assumed.allocations.length === 0 ? undefined : assumed.allocations;
  }

  private boundPods(from: number, to: number): readonly Pod[] {
    return this.bound
      .slice(from, to)
      .map(({ pod, node }) => ({ ...pod, spec: { ...pod.spec, nodeName: this.nodeName(node) } }));
  }

  private decideFast(reading: PodReading, pod: Pod): RunDecision | undefined {
    const found = this.classes.of(reading, pod);
    if (found === undefined) return undefined;
    const { feasible, tied, total, node } = found.choose();
    if (found.isUnclear) return undefined;
    if (feasible === 0) return this.unplaced(pod);
    const rank = tied > 1 ? (this.options.pick?.(tied) ?? 0) : 0;
    return { outcome: 'placed', node: node(rank), feasible, tied, ...defined({ total }) };
  }

  private unplaced(pod: Pod): RunDecision {
    const placed = this.bound.length;
    const { gates, filters } = this.profile;
    let placement: Placement | undefined;
    const quick = (): Placement | undefined =>
      (placement ??= placed === this.bound.length ? this.byRequests(pod) : undefined);
    return {
      outcome: 'unplaced',
      placement: () => (placement ??= quick() ?? evaluatePlacement(this.stateWith(placed), { pod, gates, filters })),
      needsState: () => quick() === undefined,
    };
  }

  /**
   * The placement of a pod that only the requests of other pods can affect; it needs only the nodes' sums of requests.
   * Undefined for any other pod.
   */
  private byRequests(pod: Pod): Placement | undefined {
    const { base, board, profile } = this;
    if (mindsOthers(pod) || board.movesWithTerms.length > 0 || base.pods.nominated().length > 0) return undefined;
    const { gates, filters } = profile;
    const rows = new Map<number, ReadonlyMap<string, Int64>>();
    const { requested } = board;
    const names = requested.names;
    for (const { node } of board.moves) {
      if (rows.has(node)) continue;
      const row = new Map<string, Int64>();
      for (const name of names) row.set(name, requested.at(name, node));
      rows.set(node, row);
    }
    const placement = evaluatePlacement(base.withRequested(rows), { pod, gates, filters });
    const isOfNodes = placement.plugins.every(
      ({ name, preFilter }) => preFilter.outcome === 'Skip' || OF_ONE_NODE.has(name) || name === AFFINITY,
    );
    return isOfNodes ? placement : undefined;
  }

  private decidePlainly(
    pod: Pod,
    claimTemplates: readonly VolumeClaimTemplate[],
    unknowns: readonly Reason[],
  ): RunDecision {
    this.makeClaims(pod, claimTemplates);
    const state = this.state();
    const decision: Decision = schedulePod(state, pod, this.profile, unknowns);
    if (decision.outcome === 'unplaced') {
      return { outcome: 'unplaced', placement: () => decision.placement, needsState: () => false };
    }
    if (decision.outcome === 'error') return decision;
    const { feasible, best, total, uncertain } = decision;
    const rank = best.length > 1 ? (this.options.pick?.(best.length) ?? 0) : 0;
    const node = best[rank]!;
    this.keepStorage(assumedVolumes({ state, pod }, node), this.bound.length + 1);
    const devices = this.assumeDevices(state, pod, node);
    return {
      outcome: 'placed',
      node,
      feasible,
      tied: best.length,
      ...defined({ total, uncertain, devices }),
    };
  }
}
