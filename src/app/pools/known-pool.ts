import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { Pool } from '../../core/pools/pool.js';
import { poolsIn } from '../../core/pools/pools-in.js';
import { ServiceError } from '../errors/service-error.js';

/** @throws {ServiceError} `object-not-found` */
export function knownPool(state: ClusterState, name: string, cluster: string): Pool {
  const pool = poolsIn(state).find((one) => one.name === name);
  if (pool === undefined) {
    throw new ServiceError(
      'object-not-found',
      `Pool ${JSON.stringify(name.slice(0, 300))} does not exist in cluster ${cluster}.`,
    );
  }
  return pool;
}
