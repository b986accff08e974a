import type { ClusterState } from '../../cluster/cluster-state.js';
import { pinOf, withoutPin } from '../../cluster/pod-parts.js';
import { podRequestOf } from '../../cluster/pod-request.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import { NodeBoard, type Held } from '../../scheduling/run/node-board.js';
import { NodeParts } from '../../scheduling/run/node-parts.js';
import { PodClasses, type PodReading } from '../../scheduling/run/pod-classes.js';
import { PodKinds, type PodKind } from '../../scheduling/run/pod-kinds.js';
import type { SchedulingProfile } from '../../scheduling/schedule-pod.js';

const kindsOf = new WeakMap<ClusterState, PodKinds>();

/** The node for a pod, or that there is none. */
type QuickDecision =
  | { readonly outcome: 'placed'; readonly node: number }
  | {
      readonly outcome: 'none';
      /** Set for a pod that only one node can take. */
      readonly pinned?: PinnedPod;
    };

/** A pod that only one node can take. */
export interface PinnedPod {
  /** It as a pod for any node. */
  readonly unpinned: Pod;
  /** Equal for pods that are equal but for their node. */
  readonly key: string;
  readonly node: number;
}

/**
 * The nodes while pods come and go, for pods that can be decided without evaluating every filter and score again. Nodes have the indexes
 * of the state.
 */
export class LiveNodes {
  private readonly board: NodeBoard;
  private readonly classes = new Map<SchedulingProfile, PodClasses>();
  private state: ClusterState;
  private readonly helds = new WeakMap<object, Held>();

  private constructor(
    private readonly base: ClusterState,
    private readonly kinds: PodKinds,
  ) {
    this.state = base;
    this.board = new NodeBoard(base);
  }

  /** What takes time is done once for each state. */
  static *open(state: ClusterState): Generator<undefined, LiveNodes> {
    let kinds = kindsOf.get(state);
    if (kinds === undefined) kindsOf.set(state, (kinds = yield* PodKinds.stepIn(state)));
    return new LiveNodes(state, kinds.copy());
  }

  /**
   * Objects other than nodes and pods have changed: those by whose selectors pods spread by default.
   *
   * @param state its nodes and pods are the same
   */
  reopen(state: ClusterState): void {
    this.state = state;
    for (const classes of this.classes.values()) classes.rebase(state);
  }

  /** Undefined if every filter and score must be evaluated. */
  decide(pod: Pod, profile: SchedulingProfile): QuickDecision | undefined {
    const classes = this.classesOf(profile);
    const pin = pinOf(pod.spec);
    if (pin !== undefined) return this.decidePinned(pod, pin, classes);
    const found = classes.of(classes.read(pod), pod);
    if (found === undefined) return undefined;
    const { feasible, node } = found.choose();
    if (found.isUnclear) return undefined;
    return feasible === 0 ? { outcome: 'none' } : { outcome: 'placed', node: node(0) };
  }

  /**
   * The same for a DaemonSet's pod, which only one node can take: like a pod for any node, except that topology spread counts only pods on
   * nodes that the pod's affinity allows.
   */
  private decidePinned(pod: Pod, pin: string, classes: PodClasses): QuickDecision | undefined {
    const spec = withoutPin(pod.spec);
    const node = this.base.nodes.indexOf(pin);
    if (spec === undefined || node < 0) return undefined;
    const unpinned = { ...pod, spec };
    const reading = classes.read(unpinned);
    const found = classes.of(reading, unpinned);
    if (found === undefined || found.isSpread) return undefined;
    const isFeasible = found.isFeasible(node);
    if (found.isUnclear) return undefined;
    if (isFeasible) return { outcome: 'placed', node };
    return { outcome: 'none', pinned: { unpinned, key: reading.key, node } };
  }

  /** A number that grows with each change of a node. */
  changedAt(node: number): number {
    return this.board.changedAt[node]!;
  }

  /** The greatest of these numbers. */
  get changes(): number {
    return this.board.changes.length;
  }

  /** Equal for pods that get the same result. */
  keyOf(pod: Pod, profile: SchedulingProfile): string {
    return this.read(pod, profile).key;
  }

  arrive(pod: Pod, node: number): void {
    this.board.arrive(this.kindOf(pod), node, this.heldBy(pod));
  }

  leave(pod: Pod, node: number): void {
    this.board.leave(this.kindOf(pod), node, this.heldBy(pod));
  }

  private read(pod: Pod, profile: SchedulingProfile): PodReading {
    return this.classesOf(profile).read(pod);
  }

  private kindOf(pod: Pod): PodKind {
    return this.kinds.ofPod(pod);
  }

  private heldBy({ spec, status }: Pod): Held {
    const { rules } = this.base;
    const hasResources = status?.containerStatuses !== undefined || status?.resources !== undefined;
    if (hasResources) return podRequestOf({ spec, ...(status && { status }) }, rules);
    let held = this.helds.get(spec.containers);
    if (held === undefined) this.helds.set(spec.containers, (held = podRequestOf({ spec }, rules)));
    return held;
  }

  private classesOf(profile: SchedulingProfile): PodClasses {
    let classes = this.classes.get(profile);
    if (classes === undefined) {
      classes = new PodClasses(this.state, profile, this.board, this.kinds, NodeParts.of(this.base, profile));
      this.classes.set(profile, classes);
    }
    return classes;
  }
}
