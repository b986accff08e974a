import type { ClusterState } from '../../cluster/cluster-state.js';
import { NodeSituations } from '../../cluster/node-situations.js';
import type { Node } from '../../kubernetes/objects/node.js';
import type { Taint, Toleration } from '../../kubernetes/objects/taints.js';
import type { TolerationGates } from '../../kubernetes/toleration.js';
import { toleratesCordon } from '../../placement/plugins/node-unschedulable/node-unschedulable.js';
import { dislikedTaints } from '../../placement/plugins/taint-toleration/score.js';
import { untoleratedTaints } from '../../placement/plugins/taint-toleration/taint-toleration.js';

/** The current taints, cordons and existence of a state's nodes. */
export class NodesNow {
  /** The nodes that have ever changed. */
  readonly changed = new Set<number>();
  /** The nodes that changed since the set was last cleared. */
  readonly changedForState = new Set<number>();
  readonly situations = new NodeSituations();
  private readonly situationOf: Int32Array;
  private readonly deleted: Uint8Array;
  private readonly everChanged: Uint8Array;

  constructor(private readonly state: ClusterState) {
    this.situationOf = this.situations.ofNodes(state);
    this.deleted = new Uint8Array(state.nodes.count);
    this.everChanged = new Uint8Array(state.nodes.count);
  }

  get count(): number {
    return this.deleted.length;
  }

  change(node: number, taints: readonly Taint[], unschedulable: boolean | undefined, gone: boolean): void {
    if (!(node >= 0 && node < this.count)) throw new RangeError(`no node ${node}`);
    const cordoned = unschedulable ?? this.situations.all[this.situationOf[node]!]!.unschedulable;
    this.situationOf[node] = this.situations.idOf(taints, cordoned);
    this.deleted[node] = gone ? 1 : 0;
    this.changed.add(node);
    this.everChanged[node] = 1;
    this.changedForState.add(node);
  }

  hasChanged(node: number): boolean {
    return this.everChanged[node] === 1;
  }

  isGone(node: number): boolean {
    return this.deleted[node] === 1;
  }

  situation(node: number): number {
    return this.situationOf[node]!;
  }

  /** The node with its current taints and cordon. */
  node(node: number): Node {
    const stored = this.state.nodes.node(node);
    const { taints, unschedulable } = this.situations.all[this.situationOf[node]!]!;
    return { ...stored, spec: { ...stored.spec, taints, unschedulable } };
  }
}

/**
 * The effect of the nodes' taints and cordons on a list of tolerations, by NodeUnschedulable and TaintToleration; computed
 * once per situation.
 */
export class Tolerance {
  private readonly despiteCordon: boolean;
  /** By situation: 1 admitted, 0 not admitted, -1 not computed yet. */
  private readonly known: number[] = [];
  /** By situation; -1 if not computed yet. */
  private readonly counted: number[] = [];

  constructor(
    private readonly tolerations: readonly Toleration[],
    private readonly nodes: NodesNow,
    private readonly gates: TolerationGates,
    /** Which of the two filters apply; both by default. */
    private readonly asks: { readonly cordon: boolean; readonly taints: boolean } = BOTH,
  ) {
    this.despiteCordon = !asks.cordon || toleratesCordon(tolerations, gates);
  }

  /** Whether a node admits the pod; a deleted node never does. */
  admits(node: number): boolean {
    if (this.nodes.isGone(node)) return false;
    const situation = this.nodes.situation(node);
    const known = this.known[situation] ?? -1;
    return known === -1 ? this.judge(situation) : known === 1;
  }

  /** The number of untolerated `PreferNoSchedule` taints: the raw score of TaintToleration. */
  dislikes(node: number): number {
    const situation = this.nodes.situation(node);
    while (this.counted.length <= situation) this.counted.push(-1);
    if (this.counted[situation] === -1) {
      const { taints } = this.nodes.situations.all[situation]!;
      this.counted[situation] = dislikedTaints(taints, this.tolerations, this.gates).length;
    }
    return this.counted[situation]!;
  }

  private judge(situation: number): boolean {
    const { taints, unschedulable } = this.nodes.situations.all[situation]!;
    while (this.known.length <= situation) this.known.push(-1);
    const letsIn =
      (this.despiteCordon || !unschedulable) &&
      (!this.asks.taints || untoleratedTaints(taints, this.tolerations, this.gates).length === 0);
    this.known[situation] = letsIn ? 1 : 0;
    return letsIn;
  }
}

const BOTH = { cordon: true, taints: true } as const;
