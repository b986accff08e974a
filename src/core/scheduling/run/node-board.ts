import type { ClusterState } from '../../cluster/cluster-state.js';
import type { PodRequest } from '../../cluster/pod-request.js';
import { ResourceLedger } from '../../cluster/resource-table.js';
import type { NodesNow } from './nodes-now.js';
import type { PodKind } from './pod-kinds.js';

/** A pod that has come to a node, or has left it. */
export interface Move {
  readonly kind: PodKind;
  readonly node: number;
  /** How many more there are of the kind on the node. */
  readonly by: 1 | -1;
}

/** What a pod takes of its node. */
export type Held = Pick<PodRequest, 'entries' | 'nonZeroEntries'>;

/** What the nodes hold while pods come and go, one after another, and every move, in order. */
export class NodeBoard {
  readonly allocatable;
  readonly requested: ResourceLedger;
  readonly nonZeroRequested: ResourceLedger;
  readonly moves: Move[] = [];
  /** Those of them whose pods have terms of affinity. */
  readonly movesWithTerms: Move[] = [];
  private readonly movesByNamespace = new Map<string, Move[]>();
  /** Every node that holds something else or has other taints, in order, as often as that changed. */
  readonly changes: number[] = [];
  /** By node: how many changes there were when it last changed; 0 where it never did. */
  readonly changedAt: Int32Array;
  private readonly isAllocatableSafe: boolean;

  /** @param nodes the nodes' taints and cordons as they are now; by default those of the state */
  constructor(
    { nodes }: ClusterState,
    readonly nodesNow?: NodesNow,
  ) {
    this.allocatable = nodes.allocatable;
    this.requested = new ResourceLedger(nodes.requested, nodes.count);
    this.nonZeroRequested = new ResourceLedger(nodes.nonZeroRequested, nodes.count);
    this.changedAt = new Int32Array(nodes.count);
    const { names } = this.allocatable;
    this.isAllocatableSafe = names.every((name) => !this.allocatable.column(name)!.values.some(Number.isNaN));
  }

  /** Whether every amount is a safe integer, so that doubles may be compared. */
  get isSafe(): boolean {
    return this.isAllocatableSafe && this.requested.isSafe && this.nonZeroRequested.isSafe;
  }

  arrive(kind: PodKind, node: number, { entries, nonZeroEntries }: Held): void {
    for (const [resource, amount] of entries) this.requested.add(resource, node, amount);
    for (const [resource, amount] of nonZeroEntries) this.nonZeroRequested.add(resource, node, amount);
    this.move(kind, node, 1);
    this.touch(node);
  }

  leave(kind: PodKind, node: number, { entries, nonZeroEntries }: Held): void {
    for (const [resource, amount] of entries) this.requested.subtract(resource, node, amount);
    for (const [resource, amount] of nonZeroEntries) this.nonZeroRequested.subtract(resource, node, amount);
    this.move(kind, node, -1);
    this.touch(node);
  }

  /** A pod becomes one of another kind where it is: it is being deleted, and holds what it held. */
  turn(from: PodKind, to: PodKind, node: number): void {
    this.move(from, node, -1);
    this.move(to, node, 1);
  }

  /** Those of the moves whose pods are of a namespace. */
  movesIn(namespace: string): readonly Move[] {
    return this.listOf(namespace);
  }

  /** Something that hangs on the node is other than it was. */
  touch(node: number): void {
    this.changes.push(node);
    this.changedAt[node] = this.changes.length;
  }

  /** The nodes that changed after so many changes, each once. */
  changedSince(changes: number): readonly number[] {
    const { changedAt } = this;
    const nodes: number[] = [];
    if (this.changes.length - changes < changedAt.length) {
      for (let at = changes; at < this.changes.length; at++) {
        const node = this.changes[at]!;
        // Where it changed more than once, the last time.
        if (changedAt[node] === at + 1) nodes.push(node);
      }
    } else {
      for (let node = 0; node < changedAt.length; node++) if (changedAt[node]! > changes) nodes.push(node);
    }
    return nodes;
  }

  private listOf(namespace: string): Move[] {
    let list = this.movesByNamespace.get(namespace);
    if (list === undefined) this.movesByNamespace.set(namespace, (list = []));
    return list;
  }

  private move(kind: PodKind, node: number, by: 1 | -1): void {
    if (by === 1) kind.nodes.push(node);
    else dropOne(kind.nodes, node);
    const move: Move = { kind, node, by };
    this.moves.push(move);
    this.listOf(kind.namespace).push(move);
    if (kind.hasTerms) this.movesWithTerms.push(move);
  }
}

/** Their order says nothing. */
function dropOne(nodes: number[], node: number): void {
  const at = nodes.lastIndexOf(node);
  if (at < 0) throw new RangeError(`no pod of the kind is on node ${node}`);
  nodes[at] = nodes[nodes.length - 1]!;
  nodes.pop();
}
