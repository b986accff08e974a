import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { Labels } from '../../core/kubernetes/objects/meta.js';
import type { LabelSelector } from '../../core/kubernetes/objects/selectors.js';
import type { Pool } from '../../core/pools/pool.js';
import { remainingChanges } from '../../core/pools/remaining-changes.js';
import { taintView, type TaintView } from '../taints/taint-view.js';

/** A declared pool, and how its nodes stand. */
export interface PoolView {
  readonly name: string;
  readonly nodes: LabelSelector;
  readonly taints: readonly TaintView[];
  readonly labels: Labels;
  readonly users: {
    readonly namespaces: readonly string[];
    readonly namespaceSelector: LabelSelector | null;
    readonly serviceAccounts: readonly string[];
    readonly extendedResource: string | null;
  };
  readonly exemptNamespaces: readonly string[];
  /** Nodes that it selects. */
  readonly nodeCount: number;
  /** Those of them that lack a taint or a label of it. */
  readonly lackingCount: number;
}

export function poolView(state: ClusterState, pool: Pool): PoolView {
  const { name, nodes, taints, labels, users, exemptNamespaces } = pool;
  const remaining = remainingChanges(state, pool);
  return {
    name,
    nodes,
    taints: taints.map((taint) => taintView(taint)),
    labels,
    users: {
      namespaces: users.namespaces ?? [],
      namespaceSelector: users.namespaceSelector ?? null,
      serviceAccounts: users.serviceAccounts ?? [],
      extendedResource: users.extendedResource ?? null,
    },
    exemptNamespaces,
    nodeCount: remaining.nodes,
    lackingCount: remaining.lacking.length,
  };
}
