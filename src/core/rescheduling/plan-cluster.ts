import type { ClusterState } from '../cluster/cluster-state.js';
import { requestOfVector } from '../cluster/pod-request.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import type { PodResourceVector } from '../resources/request-vector.js';
import { DEFAULT_PROFILE } from '../scheduler-configuration/default-profile.js';
import { profilePlugins } from '../scheduling/profile-plugins.js';
import { profileNamed, schedulerConfigurationIn } from '../scheduling/profiles-in.js';
import { NodeBoard, type Held } from '../scheduling/run/node-board.js';
import { NodesNow } from '../scheduling/run/nodes-now.js';
import type { PodClass } from '../scheduling/run/pod-class.js';
import { PodClasses, type PodReading } from '../scheduling/run/pod-classes.js';
import { PodKinds, type PodKind } from '../scheduling/run/pod-kinds.js';
import type { SchedulingProfile } from '../scheduling/schedule-pod.js';
import type { ReplacementClass } from './replacement-classes.js';

/** The pods of one scheduler: its classes, and the prepared data of each. */
interface Scheduler {
  readonly classes: PodClasses;
  readonly readings: Map<ReplacementClass, PodReading>;
}

/**
 * The nodes at a moment of the plan, for pods that can be decided without evaluating every filter and score again.
 * Nodes and pods have the indexes of the first state.
 */
export class PlanCluster {
  /** Requested schedulers without a profile in the cluster's configuration. */
  readonly unserved = new Set<string>();
  private readonly profiles = new Map<string, SchedulingProfile>();
  private readonly helds = new Map<PodResourceVector, Held>();

  private constructor(
    private readonly state: ClusterState,
    private readonly gates: TolerationGates,
    private view: View,
  ) {}

  static *open(state: ClusterState, gates: TolerationGates): Generator<undefined, PlanCluster> {
    return new PlanCluster(state, gates, new View(state, state, yield* PodKinds.stepIn(state)));
  }

  /** Restarts from the current state, because the nodes changed. */
  *reopen(now: ClusterState): Generator<undefined, void> {
    this.view = new View(this.state, now, yield* PodKinds.stepIn(now));
  }

  /** How a scheduler decides. Without a profile in the cluster's configuration, the default profile applies. */
  profileOf(schedulerName: string): SchedulingProfile {
    let known = this.profiles.get(schedulerName);
    if (known === undefined) {
      const profile = profileNamed(schedulerConfigurationIn(this.state), schedulerName);
      const isDeclared = this.state.setting('SchedulerConfiguration', 'default') !== undefined;
      if (profile === undefined && isDeclared) this.unserved.add(schedulerName);
      known = profilePlugins(profile ?? DEFAULT_PROFILE, this.gates);
      this.profiles.set(schedulerName, known);
    }
    return known;
  }

  /** Whether a scheduler has a filter. */
  asks(schedulerName: string, filter: string): boolean {
    return this.profileOf(schedulerName).filters.some(({ name }) => name === filter);
  }

  /** The evaluator for the pods of a class; undefined if every filter and score must be evaluated. */
  classOf(replacementClass: ReplacementClass): PodClass | undefined {
    return this.schedulerOf(replacementClass.schedulerName).classes.of(
      this.readingOf(replacementClass),
      replacementClass.pod,
    );
  }

  /** The number of classes that were created. */
  get made(): number {
    let made = 0;
    for (const { classes } of this.view.schedulers.values()) made += classes.made;
    return made;
  }

  private readingOf(replacementClass: ReplacementClass): PodReading {
    const { classes, readings } = this.schedulerOf(replacementClass.schedulerName);
    let reading = readings.get(replacementClass);
    if (reading === undefined) readings.set(replacementClass, (reading = classes.read(replacementClass.pod)));
    return reading;
  }

  /** The node's index in the classes; -1 if the node is gone. */
  indexOf(node: number): number {
    return this.view.indexOf(node);
  }

  /** The node at an index of the classes. */
  nodeAt(index: number): number {
    return this.view.nodeAt(index);
  }

  changeTaints(node: number, taints: readonly Taint[], unschedulable: boolean | undefined): void {
    const { board, nodesNow } = this.view;
    const index = this.indexOf(node);
    if (index < 0) return;
    nodesNow.change(index, taints, unschedulable, false);
    board.touch(index);
  }

  /** A stored pod starts being deleted. */
  mark(pod: number): void {
    const index = this.placeOf(pod);
    if (index < 0 || this.state.pods.terminating(pod)) return;
    this.view.board.turn(this.kindOf(pod, false), this.kindOf(pod, true), index);
  }

  /** A stored pod leaves its node. */
  leave(pod: number, wasMarked: boolean): void {
    const index = this.placeOf(pod);
    if (index < 0) return;
    const isEnding = wasMarked || this.state.pods.terminating(pod);
    this.view.board.leave(this.kindOf(pod, isEnding), index, this.heldBy(pod));
  }

  /** A pod of a class is placed on a node. */
  arrive(replacementClass: ReplacementClass, node: number): void {
    this.view.board.arrive(this.readingOf(replacementClass).kind, this.indexOf(node), replacementClass.held);
  }

  private schedulerOf(name: string): Scheduler {
    const { schedulers, now, board, kinds } = this.view;
    let known = schedulers.get(name);
    if (known === undefined) {
      known = { classes: new PodClasses(now, this.profileOf(name), board, kinds), readings: new Map() };
      schedulers.set(name, known);
    }
    return known;
  }

  private placeOf(pod: number): number {
    const { pods } = this.state;
    const node = pods.nodeIndex(pod);
    return node >= 0 && pods.active(pod) ? this.indexOf(node) : -1;
  }

  private kindOf(pod: number, isEnding: boolean): PodKind {
    const { pods } = this.state;
    const { rows, kinds } = this.view;
    const row = `${pods.specId(pod)} ${pods.labelSetId(pod)} ${isEnding ? 1 : 0} ${pods.namespace(pod)}`;
    let kind = rows.get(row);
    if (kind === undefined) rows.set(row, (kind = kinds.ofParts(partsOf(pods, pod), isEnding)));
    return kind;
  }

  /** The resources that a stored pod holds on its node. */
  heldBy(pod: number): Held {
    const vector = this.state.pods.requests(pod);
    let held = this.helds.get(vector);
    if (held === undefined) this.helds.set(vector, (held = requestOfVector(vector)));
    return held;
  }
}

const partsOf = (pods: ClusterState['pods'], pod: number) => ({
  namespace: pods.namespace(pod),
  labels: pods.labels(pod),
  spec: pods.specOf(pods.specId(pod)),
});

/** Data that is valid as long as the nodes are the same. */
class View {
  readonly nodesNow: NodesNow;
  readonly board: NodeBoard;
  readonly schedulers = new Map<string, Scheduler>();
  /** The class of a pod of the first state, by the fields that decide it. */
  readonly rows = new Map<string, PodKind>();
  private readonly indices: Int32Array;
  private readonly nodes: Int32Array;

  constructor(
    state: ClusterState,
    readonly now: ClusterState,
    readonly kinds: PodKinds,
  ) {
    this.nodesNow = new NodesNow(now);
    this.board = new NodeBoard(now, this.nodesNow);
    this.indices = Int32Array.from({ length: state.nodes.count }, (_, node) =>
      now.nodes.indexOf(state.nodes.name(node)),
    );
    this.nodes = Int32Array.from({ length: now.nodes.count }, (_, node) => state.nodes.indexOf(now.nodes.name(node)));
  }

  indexOf(node: number): number {
    return this.indices[node] ?? -1;
  }

  nodeAt(index: number): number {
    return this.nodes[index]!;
  }
}
