import type { ClusterState } from '../../cluster/cluster-state.js';
import { podNamed } from '../../admission/claims-to-make.js';
import type { Placement } from '../../placement/placement.js';
import { SchedulingRun } from '../run/scheduling-run.js';
import { roomByNode, type RoomQuestion } from './node-rooms.js';

/** How many replicas of a pod fit, and why not one more. */
export interface Capacity {
  /** `byNode`: worked out node by node, since replicas do not mind each other. `run`: placed one after another. */
  readonly method: 'byNode' | 'run';
  /** Replicas by node. */
  readonly replicas: Float64Array;
  readonly total: number;
  /** Of the next replica; absent where the run was stopped, so that more may fit. */
  readonly next?: Placement;
  readonly stopped?: 'time' | 'pods';
  /** A score plugin failed, so that no node is chosen. */
  readonly error?: string;
}

export interface CapacityOptions {
  /** Replicas that are placed at most, where they have to be placed. */
  readonly mostPlaced?: number;
  readonly isOverdue?: () => boolean;
}

const MAX_PLACED = 200_000;

/**
 * How many replicas of a pod fit on the nodes as they are, exactly as if they were placed one after another by a scheduler that looks
 * at every node.
 *
 * @throws QuantityError for a pod with a request that is no quantity
 */
export function* stepCapacity(
  state: ClusterState,
  question: RoomQuestion,
  { mostPlaced = MAX_PLACED, isOverdue }: CapacityOptions = {},
): Generator<undefined, Capacity> {
  const room = roomByNode(state, question);
  yield;
  if (room !== undefined) return { method: 'byNode', replicas: room.replicas, total: room.total, next: room.next() };
  const { pod, profile, claimTemplates = [], replicaPrefix = pod.metadata.name } = question;
  const run = yield* SchedulingRun.stepOpen(state, profile);
  const replicas = new Float64Array(state.nodes.count);
  for (let total = 0, number = 0; ; number++) {
    yield;
    const found = { method: 'run', replicas, total } as const;
    if (total >= mostPlaced) return { ...found, stopped: 'pods' };
    if (isOverdue?.() === true) return { ...found, stopped: 'time' };
    const own = `${replicaPrefix}-${number}`;
    if (state.pods.indexOf(pod.metadata.namespace ?? '', own) >= 0) continue;
    const decision = run.schedule(podNamed(pod, own, claimTemplates), claimTemplates);
    if (decision.outcome === 'error') return { ...found, error: decision.message };
    if (decision.outcome === 'unplaced') {
      if (decision.needsState()) yield* run.stepState();
      return { ...found, next: decision.placement() };
    }
    replicas[decision.node]!++;
    total++;
  }
}
