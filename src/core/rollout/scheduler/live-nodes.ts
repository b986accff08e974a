import type { ClusterState } from '../../cluster/cluster-state.js';
import { podRequestOf } from '../../cluster/pod-request.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import { NodeBoard, type Held } from '../../scheduling/run/node-board.js';
import { NodeParts } from '../../scheduling/run/node-parts.js';
import { PodClasses, type PodReading } from '../../scheduling/run/pod-classes.js';
import { PodKinds, type PodKind } from '../../scheduling/run/pod-kinds.js';
import type { SchedulingProfile } from '../../scheduling/schedule-pod.js';

const kindsOf = new WeakMap<ClusterState, PodKinds>();

/** The node for a pod, or that there is none. */
type QuickDecision = { readonly outcome: 'placed'; readonly node: number } | { readonly outcome: 'none' };

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
    const found = classes.of(classes.read(pod));
    if (found === undefined) return undefined;
    const { feasible, node } = found.choose();
    if (found.isUnclear) return undefined;
    return feasible === 0 ? { outcome: 'none' } : { outcome: 'placed', node: node(0) };
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
    const hasResources = status?.containerStatuses !== undefined || status?.resources !== undefined;
    if (hasResources) return podRequestOf({ spec, ...(status && { status }) });
    let held = this.helds.get(spec.containers);
    if (held === undefined) this.helds.set(spec.containers, (held = podRequestOf({ spec })));
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
