import type { ClusterState } from '../cluster/cluster-state.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { toleratesTaint, type TolerationGates } from '../kubernetes/toleration.js';

/** A taint as several nodes carry it. */
export interface TaintInUse {
  readonly taint: Taint;
  readonly nodeCount: number;
}

/** The effects that keep a pod off a node. */
export const HARD_EFFECTS: readonly string[] = ['NoSchedule', 'NoExecute'];

/** The taints of a cluster's nodes, arranged for questions about tolerations. Built once for a state. */
export class ClusterTaints {
  /** Each distinct taint that some node carries, in the order of first appearance. */
  readonly inUse: readonly TaintInUse[];
  readonly byKey: ReadonlyMap<string, readonly TaintInUse[]>;
  /** How many nodes carry each taint set, by its id. */
  private readonly nodesOfSet: readonly number[];
  private labelCounts: ReadonlyMap<string, ReadonlyMap<string, number>> | undefined;

  constructor(readonly state: ClusterState) {
    const nodesOfSet = new Array<number>(state.taintSets.length).fill(0);
    for (const id of state.nodes.taintSetIds) nodesOfSet[id]!++;
    this.nodesOfSet = nodesOfSet;

    const byText = new Map<string, { taint: Taint; nodeCount: number }>();
    for (const [id, taints] of state.taintSets.entries()) {
      if (nodesOfSet[id] === 0) continue;
      for (const taint of taints) {
        const text = JSON.stringify([taint.key, taint.value ?? '', taint.effect]);
        const entry = byText.get(text);
        if (entry === undefined) byText.set(text, { taint, nodeCount: nodesOfSet[id]! });
        else entry.nodeCount += nodesOfSet[id]!;
      }
    }
    this.inUse = [...byText.values()];
    const byKey = new Map<string, TaintInUse[]>();
    for (const entry of this.inUse) {
      const sameKey = byKey.get(entry.taint.key);
      if (sameKey === undefined) byKey.set(entry.taint.key, [entry]);
      else sameKey.push(entry);
    }
    this.byKey = byKey;
  }

  /** The ids of the taint sets that some node carries. */
  *setIdsInUse(): Generator<number> {
    for (const [id, count] of this.nodesOfSet.entries()) if (count > 0) yield id;
  }

  /** The nodes, by index, with at least one of the taint sets. */
  nodesWithSets(setIds: ReadonlySet<number>): readonly number[] {
    const nodes: number[] = [];
    for (const [node, id] of this.state.nodes.taintSetIds.entries()) if (setIds.has(id)) nodes.push(node);
    return nodes;
  }

  /** The distinct taints in use that a toleration matches. */
  matchedBy(toleration: Toleration, gates: TolerationGates): readonly TaintInUse[] {
    const { key = '' } = toleration;
    const candidates = key === '' ? this.inUse : (this.byKey.get(key) ?? []);
    return candidates.filter(({ taint }) => toleratesTaint(toleration, taint, gates));
  }

  /**
   * The labels that all of these nodes carry and no other node does, those first that name a pool. A label whose value
   * is unique to each node, such as the host's name, can be among them only for a single node.
   */
  labelsOfExactly(nodes: readonly number[]): readonly { readonly key: string; readonly value: string }[] {
    const [first, ...rest] = nodes;
    if (first === undefined) return [];
    const others = rest.map((node) => this.state.nodes.labels(node));
    return Object.entries(this.state.nodes.labels(first))
      .filter(([key, value]) => this.countOf(key, value) === nodes.length)
      .filter(([key, value]) => others.every((labels) => Object.hasOwn(labels, key) && labels[key] === value))
      .map(([key, value]) => ({ key, value }))
      .sort((a, b) => rank(a.key) - rank(b.key) || (a.key < b.key ? -1 : 1));
  }

  private countOf(key: string, value: string): number {
    this.labelCounts ??= this.countLabels();
    return this.labelCounts.get(key)?.get(value) ?? 0;
  }

  private countLabels(): ReadonlyMap<string, ReadonlyMap<string, number>> {
    const counts = new Map<string, Map<string, number>>();
    const { nodes } = this.state;
    for (const key of nodes.labelKeys()) {
      const column = nodes.labelColumn(key);
      const byValue = new Map<string, number>();
      for (const id of column?.valueIds ?? []) {
        if (id < 0) continue;
        const value = column!.values[id]!;
        byValue.set(value, (byValue.get(value) ?? 0) + 1);
      }
      counts.set(key, byValue);
    }
    return counts;
  }
}

/** Whether labels carry every pair of a `nodeSelector`. */
export function carriesLabels(labels: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}

/** Labels that people give to pools come first, those that describe one machine last. */
function rank(key: string): number {
  if (key === 'kubernetes.io/hostname') return 3;
  if (/(^|[./-])(node-?pool|node-?group|agentpool|pool|dedicated)$/i.test(key)) return 0;
  return /(^|\.)kubernetes\.io\//.test(key) ? 2 : 1;
}
