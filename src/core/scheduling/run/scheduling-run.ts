import type { ClusterState } from '../../cluster/cluster-state.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import { evaluatePlacement, nominatedBefore } from '../../placement/evaluate-placement.js';
import type { Placement } from '../../placement/placement.js';
import {
  spreadConstraints,
  SYSTEM_DEFAULT_CONSTRAINTS,
  type WhenUnsatisfiable,
} from '../../placement/plugins/pod-topology-spread/constraints.js';
import { NAME as SPREAD } from '../../placement/plugins/pod-topology-spread/pod-topology-spread.js';
import { NAME as AFFINITY } from '../../placement/plugins/inter-pod-affinity/inter-pod-affinity.js';
import { delegatedResources } from '../../placement/plugins/dynamic-resources/delegated-resources.js';
import { imageState } from '../../placement/plugins/image-locality/image-states.js';
import { normalized } from '../../placement/plugins/image-locality/score.js';
import { readAffinityTerms } from '../../placement/plugins/inter-pod-affinity/terms.js';
import type { Int64 } from '../../kubernetes/objects/meta.js';
import { schedulerRequest } from '../../resources/request-vector.js';
import { schedulePod, type Decision, type SchedulingProfile } from '../schedule-pod.js';
import { AffinityCounts } from './affinity-counts.js';
import { heldBy, NodeBoard } from './node-board.js';
import { mindsOthers, OF_ONE_NODE } from './of-one-node.js';
import { PodClass } from './pod-class.js';
import { PodKinds, type PodKind } from './pod-kinds.js';
import { SpecBoard } from './spec-board.js';
import { SpreadCounts } from './spread-counts.js';
import { schedulingSpec, type SchedulingSpec } from './scheduling-spec.js';
import { imageScores, knowsFilters, staticPart, type StaticPart } from './static-part.js';
import { weightsOf, type Weights } from './weights.js';

/** What became of a pod of a run. */
export type RunDecision =
  | {
      readonly outcome: 'placed';
      readonly node: number;
      readonly feasible: number;
      /** How many nodes have the greatest total. */
      readonly tied: number;
      /** Absent where one node alone was feasible. */
      readonly total?: number;
      /** Scores that are not known, so that another node may have the greatest total. */
      readonly uncertain?: readonly string[];
    }
  /** `placement` is worked out when it is asked for, as of this decision. */
  | {
      readonly outcome: 'unplaced';
      readonly placement: () => Placement;
      /** Whether that takes the state with every pod placed, which `stepState` makes a piece at a time. */
      readonly needsState: () => boolean;
    }
  | { readonly outcome: 'error'; readonly plugin: string; readonly message: string };

export interface RunOptions {
  /** Which of the nodes with the greatest total is taken: less than `tied`. The first by name unless told. */
  readonly pick?: (tied: number) => number;
}

/** Classes and specs that are kept: one that is let go is made again when a pod of it comes. */
const MOST_KEPT = 256;
/** Pods that are put into a state at a time. */
const STATE_PIECE = 512;

/**
 * Places pods one after another, each seeing those before, with the decisions of `schedulePod` at a fraction of its cost: what is
 * true of a spec is worked out once, and after a pod has come to a node only that node is looked at again.
 *
 * Pods with volumes or claims, and whatever a filter is not sure of, are decided about by `schedulePod` itself.
 */
export class SchedulingRun {
  private readonly board: NodeBoard;
  private readonly weights: Weights | undefined;
  private readonly fixed = new Kept<StaticPart | undefined>(MOST_KEPT);
  private readonly images = new Kept<Float64Array | undefined>(MOST_KEPT);
  private readonly specs = new Kept<SpecBoard | undefined>(MOST_KEPT);
  private readonly classes = new Kept<PodClass | undefined>(MOST_KEPT);
  private readonly isFast: boolean;
  /** Of the pod that came last. */
  private last: Reading | undefined;
  private readonly allNodes: Int32Array;
  /** The state with the first of the pods that have been placed. */
  private current: ClusterState;
  private currentHas = 0;
  private readonly bound: { readonly pod: Pod; readonly node: number }[] = [];

  constructor(
    private readonly base: ClusterState,
    private readonly profile: SchedulingProfile,
    private readonly options: RunOptions = {},
    private readonly kinds: PodKinds = PodKinds.in(base),
  ) {
    this.current = base;
    this.board = new NodeBoard(base);
    this.allNodes = Int32Array.from({ length: base.nodes.count }, (_, node) => node);
    this.weights = weightsOf(profile.scores);
    this.isFast = this.weights !== undefined && this.board.isSafe && knowsFilters(profile.filters);
  }

  /** The same as the constructor, a piece at a time. */
  static *stepOpen(
    base: ClusterState,
    profile: SchedulingProfile,
    options: RunOptions = {},
  ): Generator<undefined, SchedulingRun> {
    return new SchedulingRun(base, profile, options, yield* PodKinds.stepIn(base));
  }

  /**
   * Decides about a pod, and if it is placed counts it on its node from then on.
   *
   * @param pod not bound, as the scheduler would see it; its name is its own in its namespace
   * @throws QuantityError for a pod with a request that is no quantity
   */
  schedule(pod: Pod): RunDecision {
    const { kind, spec } = this.readingOf(pod);
    const decision = this.decideFast(pod, kind, spec) ?? this.decidePlainly(pod);
    if (decision.outcome === 'placed') {
      const held = this.specs.peek(spec.key)?.held ?? heldBy(pod);
      this.board.arrive(kind, decision.node, held);
      this.bound.push({ pod, node: decision.node });
    }
    return decision;
  }

  /** Replicas share what their pods are made of, and so what is read of it. */
  private readingOf(pod: Pod): Reading {
    if (this.last !== undefined && isReplica(this.last.pod, pod)) return this.last;
    const kind = this.kinds.ofPod(pod);
    const spec = schedulingSpec(pod, (image) => imageState(this.base, normalized(image)) !== undefined);
    return (this.last = { pod, kind, spec });
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

  /** The same, made a piece at a time: after it `state` and what explains the last decision cost nothing more. */
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
    return placed > this.currentHas
      ? this.current.apply({ upserts: this.boundPods(this.currentHas, placed) })
      : this.base.apply({ upserts: this.boundPods(0, placed) });
  }

  private boundPods(from: number, to: number): readonly Pod[] {
    return this.bound
      .slice(from, to)
      .map(({ pod, node }) => ({ ...pod, spec: { ...pod.spec, nodeName: this.nodeName(node) } }));
  }

  private decideFast(pod: Pod, kind: PodKind, spec: SchedulingSpec): RunDecision | undefined {
    if (!this.isFast) return undefined;
    const found = this.classOf(pod, kind, spec);
    if (found === undefined) return undefined;
    const { feasible, tied, total, node } = found.choose();
    if (found.isUnclear) return undefined;
    if (feasible === 0) return this.unplaced(pod);
    const rank = tied > 1 ? (this.options.pick?.(tied) ?? 0) : 0;
    return { outcome: 'placed', node: node(rank), feasible, tied, ...(total === undefined ? {} : { total }) };
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

  /** What is to be said of a pod that minds nothing of other pods but what they request: then that is all that has to be put into a state. */
  private byRequests(pod: Pod): Placement | undefined {
    const { base, board, profile } = this;
    if (mindsOthers(pod) || board.arrivalsWithTerms.length > 0 || base.pods.nominated().length > 0) return undefined;
    const { gates, filters } = profile;
    const rows = new Map<number, ReadonlyMap<string, Int64>>();
    const { requested } = board;
    const names = requested.names;
    for (const { node } of board.arrivals) {
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

  private decidePlainly(pod: Pod): RunDecision {
    const decision: Decision = schedulePod(this.state(), pod, this.profile);
    if (decision.outcome === 'unplaced') {
      return { outcome: 'unplaced', placement: () => decision.placement, needsState: () => false };
    }
    if (decision.outcome === 'error') return decision;
    const { feasible, best, total, uncertain } = decision;
    const rank = best.length > 1 ? (this.options.pick?.(best.length) ?? 0) : 0;
    return {
      outcome: 'placed',
      node: best[rank]!,
      feasible,
      tied: best.length,
      ...(total === undefined ? {} : { total }),
      ...(uncertain === undefined ? {} : { uncertain }),
    };
  }

  private classOf(pod: Pod, kind: PodKind, spec: SchedulingSpec): PodClass | undefined {
    const owner = (pod.metadata.ownerReferences ?? []).find(({ controller }) => controller === true);
    const from = owner === undefined ? '' : `${owner.apiVersion} ${owner.kind} ${owner.name}`;
    const spread = pod.spec.topologySpreadConstraints ?? [];
    const key = `${kind.id} ${from} ${spread.length === 0 ? '' : JSON.stringify(spread)} ${spec.key}`;
    return this.classes.get(key, () => this.makeClass(pod, kind, spec));
  }

  private makeClass(pod: Pod, kind: PodKind, spec: SchedulingSpec): PodClass | undefined {
    const { base, profile } = this;
    const { namespace = '' } = pod.metadata;
    if (nominatedBefore(base, pod).length > 0) return undefined;
    if (readAffinityTerms(pod.spec, namespace).fault !== undefined) return undefined;
    const hard = this.asks(SPREAD) ? this.spread(pod, 'DoNotSchedule') : undefined;
    const soft = this.spread(pod, 'ScheduleAnyway');
    if (hard === 'unreadable' || soft === 'unreadable') return undefined;
    const board = this.specs.get(spec.key, () => this.makeSpec(spec));
    if (board === undefined) return undefined;
    const affinity = new AffinityCounts(base, kind, profile.args.interPodAffinity);
    const filtersAffinity = this.asks(AFFINITY);
    return new PodClass(board, { affinity, filtersAffinity, hard, soft }, this.kinds, kind, this.board, this.weights!);
  }

  private asks(plugin: string): boolean {
    return this.profile.filters.some(({ name }) => name === plugin);
  }

  private makeSpec({ pod, fixedKey, imagesKey }: SchedulingSpec): SpecBoard | undefined {
    const { base, profile, allNodes } = this;
    if (delegatedResources(base, schedulerRequest(pod).scalars.keys()).size > 0) return undefined;
    const fixed = this.fixed.get(fixedKey, () => staticPart(base, pod, profile, allNodes));
    if (fixed === undefined) return undefined;
    const images =
      imagesKey === '' ? undefined : this.images.get(imagesKey, () => imageScores(base, pod, profile, allNodes));
    return new SpecBoard(this.board, this.kinds.all, pod, { ...fixed, images }, profile, this.weights!);
  }

  private spread(pod: Pod, when: WhenUnsatisfiable): SpreadCounts | undefined | 'unreadable' {
    const { defaultingType, defaultConstraints } = this.profile.args.podTopologySpread;
    const isSystem = defaultingType === 'System';
    const read = spreadConstraints(this.base, pod, when, isSystem ? SYSTEM_DEFAULT_CONSTRAINTS : defaultConstraints);
    if ('message' in read) return 'unreadable';
    if (read.constraints.length === 0) return undefined;
    const { namespace = '' } = pod.metadata;
    const input = { state: this.base, pod, gates: this.profile.gates };
    const needsAllKeys = when === 'DoNotSchedule' || !read.isDefault || !isSystem;
    return new SpreadCounts(input, read.constraints, namespace, needsAllKeys);
  }
}

/** What was read of a pod. */
interface Reading {
  readonly pod: Pod;
  readonly kind: PodKind;
  readonly spec: SchedulingSpec;
}

/** Whether two pods are made of the very same parts. */
function isReplica({ metadata: a, spec }: Pod, { metadata: b, spec: other }: Pod): boolean {
  return (
    spec === other &&
    a.labels === b.labels &&
    a.namespace === b.namespace &&
    a.ownerReferences === b.ownerReferences &&
    a.deletionTimestamp === b.deletionTimestamp
  );
}

/** Values by a key, of which the one that was used the longest ago goes first. */
class Kept<Value> {
  private readonly values = new Map<string, Value>();

  constructor(private readonly most: number) {}

  peek(key: string): Value | undefined {
    return this.values.get(key);
  }

  get(key: string, make: () => Value): Value {
    if (this.values.has(key)) {
      const value = this.values.get(key)!;
      this.values.delete(key);
      this.values.set(key, value);
      return value;
    }
    const value = make();
    if (this.values.size >= this.most) this.values.delete(this.values.keys().next().value!);
    this.values.set(key, value);
    return value;
  }
}
