import type { ClusterState } from '../../cluster/cluster-state.js';
import type { PodRequest } from '../../cluster/pod-request.js';
import { ResourceLedger } from '../../cluster/resource-table.js';
import type { NodesNow } from './nodes-now.js';
import type { PodKind } from './pod-kinds.js';

/** A pod that has come to a node or left it. */
export interface Move {
  readonly kind: PodKind;
  readonly node: number;
  /** The change in the number of pods of the kind on the node. */
  readonly by: 1 | -1;
}

/** The amounts that a pod uses on its node. */
export type Held = Pick<PodRequest, 'entries' | 'nonZeroEntries'>;

/** The amounts used on the nodes while pods come and go one after another, with a log of all moves. */
export class NodeBoard {
  readonly rules;
  readonly allocatable;
  readonly requested: ResourceLedger;
  readonly nonZeroRequested: ResourceLedger;
  readonly moves: Move[] = [];
  /** The moves of pods with affinity terms. */
  readonly movesWithTerms: Move[] = [];
  private readonly movesByNamespace = new Map<string, Move[]>();
  /** A node index for each change of its amounts or taints, in order. */
  readonly changes: number[] = [];
  /** By node: the length of `changes` after its last change; 0 if it never changed. */
  readonly changedAt: Int32Array;

  /** @param nodes the nodes' current taints and cordons; by default those of the state */
  constructor(
    { nodes, rules }: ClusterState,
    readonly nodesNow?: NodesNow,
  ) {
    this.rules = rules;
    this.allocatable = nodes.allocatable;
    this.requested = new ResourceLedger(nodes.requested, nodes.count);
    this.nonZeroRequested = new ResourceLedger(nodes.nonZeroRequested, nodes.count);
    this.changedAt = new Int32Array(nodes.count);
  }

  /** Whether every amount is a safe integer, so that `number` arithmetic is exact. */
  get isSafe(): boolean {
    return this.allocatable.isSafe && this.requested.isSafe && this.nonZeroRequested.isSafe;
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

  /** Changes the kind of a pod on its node, because the pod is now being deleted. It keeps its amounts. */
  turn(from: PodKind, to: PodKind, node: number): void {
    this.move(from, node, -1);
    this.move(to, node, 1);
  }

  /** The moves of pods of a namespace. */
  movesIn(namespace: string): readonly Move[] {
    return this.listOf(namespace);
  }

  /** Records a change of the node's amounts or taints. */
  touch(node: number): void {
    this.changes.push(node);
    this.changedAt[node] = this.changes.length;
  }

  /** The nodes that changed after the first `changes` changes, each once. */
  changedSince(changes: number): readonly number[] {
    const { changedAt } = this;
    const nodes: number[] = [];
    if (this.changes.length - changes < changedAt.length) {
      for (let at = changes; at < this.changes.length; at++) {
        const node = this.changes[at]!;
        // If the node changed more than once, only the last change counts.
        if (changedAt[node] === at + 1) nodes.push(node);
      }
    } else {
      for (let node = 0; node < changedAt.length; node++) if (changedAt[node]! > changes) nodes.push(node);
    }
    return nodes;
  }

  /**
   * The same, of some nodes.
   *
   * @param isAmong by node: 1 if it is one of `nodes`
   */
  changedAmong(nodes: Int32Array, isAmong: Uint8Array, changes: number): readonly number[] {
    const { changedAt } = this;
    const changed: number[] = [];
    if (this.changes.length - changes < nodes.length) {
      for (let at = changes; at < this.changes.length; at++) {
        const node = this.changes[at]!;
        if (isAmong[node] === 1 && changedAt[node] === at + 1) changed.push(node);
      }
    } else {
      for (const node of nodes) if (changedAt[node]! > changes) changed.push(node);
    }
    return changed;
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

/** Removes one entry; the order of the list does not matter. */
function dropOne(nodes: number[], node: number): void {
  const at = nodes.lastIndexOf(node);
  if (at < 0) throw new RangeError(`no pod of the kind is on node ${node}`);
  nodes[at] = nodes[nodes.length - 1]!;
  nodes.pop();
}
