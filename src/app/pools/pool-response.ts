import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { pool as declaredPool } from '../../contract/pools/pool.js';
import type { Response } from '../../contract/schema.js';
import type { Pool } from '../../core/pools/pool.js';
import { remainingChanges } from '../../core/pools/remaining-changes.js';
import { taintResponse } from '../taints/taint-response.js';

/** A pool, with the status of its nodes. */
export function poolResponse(state: ClusterState, pool: Pool): Response<typeof declaredPool> {
  const { name, nodes, taints, labels, users, exemptNamespaces } = pool;
  const remaining = remainingChanges(state, pool);
  return {
    name,
    nodes,
    taints: taints.map((taint) => taintResponse(taint)),
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
