import { compare } from '../json/compare.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { LruCache } from '../collections/lru-cache.js';
import { matchRequiredNodeAffinity, requiredNodeAffinity } from '../kubernetes/node-selector.js';
import type { PodSpec } from '../kubernetes/objects/pod.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { stringifyJson } from '../json/lossless-json.js';
import { formatTaint } from '../kubernetes/taint.js';
import { toleratesTaint, type TolerationGates } from '../kubernetes/toleration.js';

/** A taint and the number of nodes that carry it. */
export interface TaintInUse {
  readonly taint: Taint;
  readonly nodeCount: number;
}

/** The nodes that carry one of several taints. */
export interface Pool {
  /** In kubectl's notation. */
  readonly taints: readonly string[];
  /** Indexes of the nodes. */
  readonly nodes: readonly number[];
  /** The taint sets that contain one of the taints. */
  readonly setIds: ReadonlySet<number>;
  /** The labels that all of these nodes carry and no other node does, likely pool labels first. */
  readonly labels: readonly { readonly key: string; readonly value: string }[];
}

/** The effects that keep a pod off a node. */
export const HARD_EFFECTS: readonly string[] = ['NoSchedule', 'NoExecute'];

const known = new WeakMap<ClusterState, ClusterTaints>();
/** So many distinct pools and selections are remembered for the manifests that are asked about. */
const REMEMBERED = 256;

/** The taints of a cluster's nodes, indexed for checks of tolerations. */
export class ClusterTaints {
  /** Those of a state, made once. */
  static of(state: ClusterState): ClusterTaints {
    let taints = known.get(state);
    if (taints === undefined) known.set(state, (taints = new ClusterTaints(state, REMEMBERED)));
    return taints;
  }

  /** Each distinct taint that some node carries, in the order of first appearance. */
  readonly inUse: readonly TaintInUse[];
  readonly byKey: ReadonlyMap<string, readonly TaintInUse[]>;
  /** The number of nodes per taint set ID. */
  private readonly nodesOfSet: readonly number[];
  private readonly pools: LruCache<Pool>;
  private readonly selections: LruCache<Uint8Array>;

  /** @param remembered the number of distinct pools, and of selections of nodes, that are kept */
  constructor(
    readonly state: ClusterState,
    remembered = Number.POSITIVE_INFINITY,
  ) {
    this.pools = new LruCache(remembered);
    this.selections = new LruCache(remembered);
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
    this.inUse = [...byText].sort(([a], [b]) => compare(a, b)).map(([, entry]) => entry);
    const byKey = new Map<string, TaintInUse[]>();
    for (const entry of this.inUse) {
      const sameKey = byKey.get(entry.taint.key);
      if (sameKey === undefined) byKey.set(entry.taint.key, [entry]);
      else sameKey.push(entry);
    }
    this.byKey = byKey;
  }

  /** The IDs of the taint sets that nodes carry. */
  *setIdsInUse(): Generator<number> {
    for (const [id, count] of this.nodesOfSet.entries()) if (count > 0) yield id;
  }

  /** The pool that a toleration opens: the nodes with a taint that it matches and that keeps pods off. */
  poolOf(toleration: Toleration, gates: TolerationGates): Pool {
    const matching = this.matchedBy(toleration, gates).filter(({ taint }) => HARD_EFFECTS.includes(taint.effect));
    const taints = matching.map(({ taint }) => formatTaint(taint));
    const key = JSON.stringify(taints);
    return this.pools.get(key, () => this.makePool(taints));
  }

  private makePool(taints: readonly string[]): Pool {
    const wanted = new Set(taints);
    const { taintSets, nodes } = this.state;
    const ofPool = taintSets.map((set) => set.some((taint) => wanted.has(formatTaint(taint))));
    const indexes: number[] = [];
    for (const [node, id] of nodes.taintSetIds.entries()) if (ofPool[id] === true) indexes.push(node);
    return {
      taints,
      nodes: indexes,
      setIds: new Set([...ofPool.keys()].filter((id) => ofPool[id] === true)),
      labels: this.labelsOfExactly(indexes),
    };
  }

  /**
   * 1 for each node, by index, that a pod's node selector and required node affinity allow. Cached per selector and
   * affinity.
   */
  selectedBy(spec: PodSpec): Uint8Array {
    const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    const key = stringifyJson([spec.nodeSelector ?? null, required ?? null]);
    return this.selections.get(key, () => {
      const { nodes } = this.state;
      const affinity = requiredNodeAffinity({ spec });
      return Uint8Array.from({ length: nodes.count }, (_, node) =>
        matchRequiredNodeAffinity(affinity, nodes.node(node)).matches ? 1 : 0,
      );
    });
  }

  /** The distinct taints in use that a toleration matches. */
  matchedBy(toleration: Toleration, gates: TolerationGates): readonly TaintInUse[] {
    const { key = '' } = toleration;
    const candidates = key === '' ? this.inUse : (this.byKey.get(key) ?? []);
    return candidates.filter(({ taint }) => toleratesTaint(toleration, taint, gates));
  }

  /**
   * The labels that all of these nodes carry and no other node does, likely pool labels first. A label whose value is
   * unique to each node, such as the host's name, can be among them only for a single node.
   */
  private labelsOfExactly(nodes: readonly number[]): Pool['labels'] {
    const [first, ...rest] = nodes;
    if (first === undefined) return [];
    const others = rest.map((node) => this.state.nodes.labels(node));
    return Object.entries(this.state.nodes.labels(first))
      .filter(([key, value]) => others.every((labels) => Object.hasOwn(labels, key) && labels[key] === value))
      .filter(([key, value]) => this.countOf(key, value) === nodes.length)
      .map(([key, value]) => ({ key, value }))
      .sort((a, b) => rank(a.key) - rank(b.key) || (a.key < b.key ? -1 : 1));
  }

  private countOf(key: string, value: string): number {
    const column = this.state.nodes.labelColumn(key);
    const wanted = column?.values.indexOf(value) ?? -1;
    if (wanted < 0) return 0;
    let count = 0;
    for (const id of column!.valueIds) if (id === wanted) count += 1;
    return count;
  }
}

/** Labels that usually name a pool come first; labels that describe one machine come last. */
function rank(key: string): number {
  if (key === 'kubernetes.io/hostname') return 3;
  if (/(^|[./-])(node-?pool|node-?group|agentpool|pool|dedicated)$/i.test(key)) return 0;
  return /(^|\.)kubernetes\.io\//.test(key) ? 2 : 1;
}
