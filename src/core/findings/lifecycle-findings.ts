import type { ClusterState } from '../cluster/cluster-state.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { lifecycleDifferences, type LifecycleDifference } from '../node-lifecycle/explain-taint.js';
import type { FindingOccurrences } from './finding.js';
import { OccurrenceCounter } from './occurrence-counter.js';

/** The nodes whose taints differ in the same way from those that the node lifecycle controller would set. */
export interface SharedDifference {
  readonly taint: Taint;
  readonly why: string;
  readonly nodes: FindingOccurrences;
}

/** Nodes examined between two yields. */
const STRIDE = 512;

/** The differences of one kind over all nodes of a cluster, each once, in the order of their first node. */
export function* stepDifferencesByReason(
  { nodes }: ClusterState,
  kind: LifecycleDifference['state'],
): Generator<undefined, readonly SharedDifference[]> {
  const found = new Map<string, { readonly taint: Taint; readonly counter: OccurrenceCounter }>();
  for (let index = 0; index < nodes.count; index++) {
    if (index % STRIDE === STRIDE - 1) yield undefined;
    for (const { taint, state, why } of lifecycleDifferences(nodes.node(index))) {
      if (state !== kind) continue;
      const same = found.get(why) ?? { taint, counter: new OccurrenceCounter('Node') };
      found.set(why, same);
      same.counter.add(nodes.name(index));
    }
  }
  return [...found].map(([why, { taint, counter }]) => ({ taint, why, nodes: counter.result }));
}
