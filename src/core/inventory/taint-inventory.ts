import type { ClusterState } from '../cluster/cluster-state.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { indexOfTolerating, type TolerationGates } from '../kubernetes/toleration.js';
import type { PodGroups } from './pod-groups.js';

const EXAMPLES = 5;
/** Workloads visited between two yields. */
const STRIDE = 512;

/**
 * The pods that tolerate a taint, on any node, and their workloads; a workload counts if all of its pods do. Pods that
 * have ended do not count.
 */
export interface Tolerators {
  readonly pods: number;
  readonly workloads: number;
}

/** A taint of nodes, by key, value and effect. */
export interface InventoryTaint {
  readonly taint: Taint;
  readonly nodes: number;
  readonly toleratedBy: Tolerators;
}

/** The taints with one key in a state. */
export interface TaintKeyEntry {
  readonly key: string;
  /** The number of nodes with at least one taint with the key. */
  readonly nodes: number;
  /** The names of the first few nodes. */
  readonly examples: readonly string[];
  /** The distinct values, sorted; the empty string means no value. */
  readonly values: readonly string[];
  /** The distinct effects, sorted. */
  readonly effects: readonly string[];
  /** By value and effect. */
  readonly taints: readonly InventoryTaint[];
  /** The pods and workloads that tolerate all of the taints. */
  readonly toleratedBy: Tolerators;
}

/**
 * The taints of a state's nodes by key, in order of key. The cost is (distinct taints) x (distinct toleration lists). A
 * generator, so that the caller can let other work run in between; it yields nothing.
 */
export function* taintInventory(
  state: ClusterState,
  groups: PodGroups,
  gates: TolerationGates,
): Generator<undefined, readonly TaintKeyEntry[]> {
  const { nodes, taintSets } = state;
  const byKey = new Map<string, KeyCounter>();
  for (let node = 0; node < nodes.count; node++) {
    const seen = new Set<string>();
    for (const taint of taintSets[nodes.taintSetId(node)]!) {
      let counter = byKey.get(taint.key);
      if (counter === undefined) byKey.set(taint.key, (counter = new KeyCounter(taint.key)));
      counter.add(taint, seen.has(taint.key) ? undefined : nodes.name(node));
      seen.add(taint.key);
    }
  }
  const entries: TaintKeyEntry[] = [];
  for (const counter of [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1))) {
    yield undefined;
    entries.push(yield* counter.stepEntry((taints) => stepTolerators(state, groups, taints, gates)));
  }
  return entries;
}

class KeyCounter {
  private nodes = 0;
  private readonly examples: string[] = [];
  private readonly taints = new Map<string, { taint: Taint; nodes: number }>();

  constructor(readonly key: string) {}

  /** @param node set for the node's first taint with the key */
  add(taint: Taint, node: string | undefined): void {
    const text = JSON.stringify([taint.value ?? '', taint.effect]);
    const known = this.taints.get(text);
    if (known === undefined) this.taints.set(text, { taint, nodes: 1 });
    else known.nodes++;
    if (node === undefined) return;
    this.nodes++;
    if (this.examples.length < EXAMPLES) this.examples.push(node);
  }

  *stepEntry(
    count: (taints: readonly Taint[]) => Generator<undefined, Tolerators>,
  ): Generator<undefined, TaintKeyEntry> {
    const { key, nodes, examples } = this;
    const taints = [...this.taints].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
    const distinct = (read: (taint: Taint) => string): string[] => [
      ...new Set(taints.map(({ taint }) => read(taint)).sort()),
    ];
    const counted: InventoryTaint[] = [];
    for (const entry of taints) counted.push({ ...entry, toleratedBy: yield* count([entry.taint]) });
    return {
      key,
      nodes,
      examples,
      values: distinct((taint) => taint.value ?? ''),
      effects: distinct((taint) => taint.effect),
      taints: counted,
      toleratedBy: yield* count(taints.map(({ taint }) => taint)),
    };
  }
}

function* stepTolerators(
  { tolerationSets }: ClusterState,
  { byWorkload }: PodGroups,
  taints: readonly Taint[],
  gates: TolerationGates,
): Generator<undefined, Tolerators> {
  const verdicts = new Map<number, boolean>();
  const tolerates = (id: number): boolean => {
    let verdict = verdicts.get(id);
    if (verdict === undefined) {
      verdict = taints.every((taint) => indexOfTolerating(tolerationSets[id]!, taint, gates) !== -1);
      verdicts.set(id, verdict);
    }
    return verdict;
  };
  let pods = 0;
  let workloads = 0;
  let visited = 0;
  for (const { groups } of byWorkload) {
    if (++visited % STRIDE === 0) yield;
    const alive = groups.filter(({ active }) => active > 0);
    const tolerating = alive.filter(({ tolerationSetId }) => tolerates(tolerationSetId));
    for (const { active } of tolerating) pods += active;
    if (alive.length > 0 && tolerating.length === alive.length) workloads++;
  }
  return { pods, workloads };
}
