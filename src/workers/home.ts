/** What a worker is doing, as it last said. */
export interface WorkerLoad {
  readonly index: number;
  /** The share of time for which its event loop was busy, from 0 to 1. */
  readonly utilization: number;
  readonly connections: number;
}

/** A worker this busy takes no more of a cluster that another one could take, and gives connections away. */
const BUSY = 0.8;
/** How much less busy another one has to be: a state that is loaded a second time has its price. */
const MUCH_LESS = 0.3;

/**
 * The worker that takes a connection.
 *
 * Connections that ask about one cluster go to one worker, so that its state is in memory once (rendezvous hashing: if a worker is
 * added or gone, only what it has moves). While that one is busy and another is not, they go to the next in the cluster's order: a
 * cluster that needs more than one core has more than one.
 *
 * @param cluster undefined if it is not known what the connection asks about: the worker with the fewest connections takes it
 * @param workers at least one
 * @param perCluster how many of them may answer for one cluster
 */
export function workerFor(cluster: string | undefined, workers: readonly WorkerLoad[], perCluster: number): WorkerLoad {
  if (cluster === undefined) return least(workers, ({ connections }) => connections);
  const order = [...workers].sort((a, b) => weight(cluster, b.index) - weight(cluster, a.index)).slice(0, perCluster);
  const home = order[0]!;
  if (home.utilization < BUSY) return home;
  return order.find(({ utilization }) => utilization < BUSY && utilization < home.utilization - MUCH_LESS) ?? home;
}

/** The busy worker that should give connections away, because another one could take them; undefined if none should. */
export function workerToRelieve(workers: readonly WorkerLoad[]): WorkerLoad | undefined {
  const busiest = least(workers, ({ utilization }) => -utilization);
  const idlest = least(workers, ({ utilization }) => utilization);
  const isUneven = busiest.utilization >= BUSY && idlest.utilization < busiest.utilization - MUCH_LESS;
  return isUneven && busiest.connections > 1 ? busiest : undefined;
}

function least(workers: readonly WorkerLoad[], of: (worker: WorkerLoad) => number): WorkerLoad {
  return workers.reduce((best, worker) => (of(worker) < of(best) ? worker : best));
}

/** FNV-1a over the name and the worker, mixed once more: names that differ in their last letter only differ in all bits. */
function weight(cluster: string, index: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < cluster.length; at++) hash = Math.imul(hash ^ cluster.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ index, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
