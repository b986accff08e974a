import type { ClusterState } from '../../cluster/cluster-state.js';
import { podNamed } from '../../admission/claims-to-make.js';
import type { Placement } from '../../placement/placement.js';
import { SchedulingRun } from '../run/scheduling-run.js';
import { roomByNode, type RoomQuestion } from './node-rooms.js';

/** How many replicas of a pod fit, and what keeps the next one off. */
export interface Capacity {
  /** `byNode`: computed node by node, because replicas do not affect each other. `run`: placed one after another. */
  readonly method: 'byNode' | 'run';
  /** Replicas by node. */
  readonly replicas: Float64Array;
  readonly total: number;
  /** The placement of the next replica; absent if the run stopped early, so that more may fit. On nodes that are unknown, too, more may fit. */
  readonly next?: Placement;
  /** The limit that stopped the run early. */
  readonly stopped?: 'time' | 'pods';
  /** The error of a score plugin, because of which no node is chosen. */
  readonly error?: string;
}

export interface CapacityOptions {
  /** The maximum number of replicas to place, for the method `run`. */
  readonly mostPlaced?: number;
  readonly isOverdue?: () => boolean;
}

/** Whether no more replicas may fit: the run has come to its end, and no node is unknown for the next replica. */
export const isComplete = ({ stopped, next }: Pick<Capacity, 'stopped' | 'next'>): boolean =>
  stopped === undefined && (next?.counts.unknown ?? 0) === 0;

const MAX_PLACED = 200_000;

/**
 * How many replicas of a pod fit on the nodes as they are: exactly as many as a scheduler would place one after another if it
 * checked every node.
 *
 * @throws QuantityError for a pod with an invalid quantity in its requests
 */
export function* stepCapacity(
  state: ClusterState,
  question: RoomQuestion,
  { mostPlaced = MAX_PLACED, isOverdue }: CapacityOptions = {},
): Generator<undefined, Capacity> {
  const room = roomByNode(state, question);
  yield;
  if (room !== undefined) return { method: 'byNode', replicas: room.replicas, total: room.total, next: room.next() };
  const { pod, profile, unknowns, claimTemplates = [], replicaPrefix = pod.metadata.name } = question;
  const run = yield* SchedulingRun.stepOpen(state, profile);
  const replicas = new Float64Array(state.nodes.count);
  for (let total = 0, number = 0; ; number++) {
    yield;
    const found = { method: 'run', replicas, total } as const;
    if (total >= mostPlaced) return { ...found, stopped: 'pods' };
    if (isOverdue?.() === true) return { ...found, stopped: 'time' };
    const own = `${replicaPrefix}-${number}`;
    if (state.pods.indexOf(pod.metadata.namespace ?? '', own) >= 0) continue;
    const decision = run.schedule(podNamed(pod, own, claimTemplates), claimTemplates, unknowns);
    if (decision.outcome === 'error') return { ...found, error: decision.message };
    if (decision.outcome === 'unplaced') {
      if (decision.needsState()) yield* run.stepState();
      return { ...found, next: decision.placement() };
    }
    replicas[decision.node]!++;
    total++;
  }
}
