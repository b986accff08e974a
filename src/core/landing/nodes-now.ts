import type { ClusterState } from '../cluster/cluster-state.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { toleratesCordon } from '../placement/plugins/node-unschedulable/node-unschedulable.js';
import { untoleratedTaints } from '../placement/plugins/taint-toleration/taint-toleration.js';
import { NodeSituations } from '../taint-effects/node-situations.js';

/** Taints, cordons and existence of a state's nodes, while they change. */
export class NodesNow {
  /** Every node that changed, in order, as often as it did. */
  readonly changes: number[] = [];
  /** The nodes that changed since somebody last cleared them. */
  readonly changedForState = new Set<number>();
  readonly situations = new NodeSituations();
  private readonly situationOf: Int32Array;
  private readonly deleted: Uint8Array;

  constructor(private readonly state: ClusterState) {
    this.situationOf = this.situations.ofNodes(state);
    this.deleted = new Uint8Array(state.nodes.count);
  }

  get count(): number {
    return this.deleted.length;
  }

  change(node: number, taints: readonly Taint[], unschedulable: boolean | undefined, gone: boolean): void {
    if (!(node >= 0 && node < this.count)) throw new RangeError(`no node ${node}`);
    const cordoned = unschedulable ?? this.situations.all[this.situationOf[node]!]!.unschedulable;
    this.situationOf[node] = this.situations.idOf(taints, cordoned);
    this.deleted[node] = gone ? 1 : 0;
    this.changes.push(node);
    this.changedForState.add(node);
  }

  isGone(node: number): boolean {
    return this.deleted[node] === 1;
  }

  situation(node: number): number {
    return this.situationOf[node]!;
  }

  /** The node as it is now. */
  node(node: number): Node {
    const stored = this.state.nodes.node(node);
    const { taints, unschedulable } = this.situations.all[this.situationOf[node]!]!;
    return { ...stored, spec: { ...stored.spec, taints, unschedulable } };
  }
}

/** Into which situations of nodes a list of tolerations lets its pod: NodeUnschedulable and TaintToleration, each worked out once. */
export class Tolerance {
  private readonly despiteCordon: boolean;
  /** By situation: 1 in, 0 out, -1 not asked yet. */
  private readonly known: number[] = [];

  constructor(
    private readonly tolerations: readonly Toleration[],
    private readonly nodes: NodesNow,
    private readonly gates: TolerationGates,
  ) {
    this.despiteCordon = toleratesCordon(tolerations, gates);
  }

  /** Whether a node lets the pod in; one that is deleted lets nobody in. */
  admits(node: number): boolean {
    if (this.nodes.isGone(node)) return false;
    const situation = this.nodes.situation(node);
    const known = this.known[situation] ?? -1;
    return known === -1 ? this.judge(situation) : known === 1;
  }

  private judge(situation: number): boolean {
    const { taints, unschedulable } = this.nodes.situations.all[situation]!;
    while (this.known.length <= situation) this.known.push(-1);
    const letsIn =
      (this.despiteCordon || !unschedulable) && untoleratedTaints(taints, this.tolerations, this.gates).length === 0;
    this.known[situation] = letsIn ? 1 : 0;
    return letsIn;
  }
}
