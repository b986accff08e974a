import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { type Schedule, stepSchedule } from '../../core/eviction-schedule/step-schedule.js';
import { RevisionStore } from '../../storage/revision-store.js';
import { EvictionMemory } from '../evictions/eviction-memory.js';
import { controllerStartIn, stepScheduleQuestion } from '../evictions/schedule-inputs.js';
import { runSteps } from '../states/run-steps.js';
import { StoredStates } from '../states/stored-states.js';
import { TimeSlices } from '../states/time-slices.js';
import type { ScheduleWatch } from './schedule-watch.js';
import { type LeavingPod, WatchedSchedule } from './watched-schedule.js';

const ROWS_AT_ONCE = 1024;

/** The eviction schedules of stored revisions, including the stored past of their nodes. */
export class StoredSchedules implements ScheduleWatch {
  constructor(
    private readonly revisions: RevisionStore,
    private readonly states: StoredStates,
    private readonly memory: EvictionMemory,
  ) {}

  /** @throws {ServiceError} as `StoredStates.of` */
  async of(clusterId: number, revision: number): Promise<WatchedSchedule | undefined> {
    // There is no state before the first snapshot.
    if (revision === 0) return new WatchedSchedule(0, [], 0);
    const found = await this.revisions.get(clusterId, revision);
    if (found === undefined) return undefined;
    const state = await this.states.of(found);
    const nodes = Array.from({ length: state.nodes.count }, (_, index) => index);
    const slices = new TimeSlices();
    const { signal } = new AbortController();
    const past = await this.memory.of(found, state, nodes, { intents: 'include', signal });
    const seenAt = found.capturedAt.getTime();
    const steps = stepScheduleQuestion({
      stored: state,
      state,
      nodes,
      seenAt,
      asOf: seenAt,
      past,
      events: [],
      failures: [],
      controllerStart: controllerStartIn(state),
    });
    const { question } = await runSteps(steps, slices);
    const schedule = await runSteps(stepSchedule(question), slices);
    return runSteps(stepWatched(revision, state, schedule), slices);
  }
}

/** Skips pods that are already being deleted. */
function* stepWatched(
  revision: number,
  { pods, nodes }: ClusterState,
  schedule: Schedule,
): Generator<undefined, WatchedSchedule> {
  const leaving: LeavingPod[] = [];
  let never = 0;
  for (const [row, pod] of schedule.pods.entries()) {
    if (row % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) yield undefined;
    if (pods.terminating(pod)) continue;
    const { at } = schedule.outcomes[row]!;
    if (at === null) never++;
    else {
      const node = nodes.name(pods.nodeIndex(pod));
      leaving.push({ namespace: pods.namespace(pod), name: pods.name(pod), node, at: at.latest });
    }
  }
  yield undefined;
  return new WatchedSchedule(revision, leaving, never);
}
