import { departureOf } from '../../core/eviction/departure.js';
import { stepRowsByName } from '../../core/eviction-schedule/ordered-rows.js';
import { exactly } from '../../core/eviction/known-moment.js';
import type { ReschedulingEvent, Rescheduling } from '../../core/rescheduling/rescheduling.js';
import { stepRescheduling } from '../../core/rescheduling/step-rescheduling.js';
import { stepSorted } from '../../core/collections/step-sorted.js';
import { runSteps } from '../states/run-steps.js';
import type { TimeSlices } from '../states/time-slices.js';
import type { PlannedSchedule } from './plan-schedule.js';

/**
 * Maximum number of pods and workloads listed; all are counted. Each may explain why no node accepts it, which takes
 * about 5 KB.
 */
const MAX_LISTED = 250;

/**
 * Finds nodes for the pods of a schedule. Each pod is assumed to leave at the latest possible time, and not before
 * `asOf`.
 */
export async function planLandings(plan: PlannedSchedule, slices: TimeSlices): Promise<Rescheduling> {
  const events = await runSteps(stepEvents(plan), slices);
  return runSteps(
    stepRescheduling(plan.question.state, events, { gates: plan.question.gates, mostListed: MAX_LISTED }),
    slices,
  );
}

function* stepEvents(plan: PlannedSchedule): Generator<undefined, readonly ReschedulingEvent[]> {
  const { question, schedule, changes, reaches } = plan;
  const { pods } = question.state;
  const events: ReschedulingEvent[] = changes.map(({ at, node, taints, gone }) => ({
    at,
    kind: 'taints',
    node,
    taints,
    ...(gone && { gone }),
  }));
  const leaving: number[] = [];
  for (let row = 0; row < schedule.pods.length; row++) {
    if (schedule.outcomes[row]!.at !== null && !pods.terminating(schedule.pods[row]!)) leaving.push(row);
  }
  const ordered = yield* stepRowsByName(pods, schedule, leaving);
  for (let place = 0; place < ordered.length; place++) {
    if (place % 256 === 255) yield undefined;
    const row = ordered[place]!;
    const pod = schedule.pods[row]!;
    const leaves = schedule.outcomes[row]!.at!;
    const at = Math.max(question.asOf, leaves.latest);
    events.push({ at, kind: 'marked', pod });
    const { goneAt } = departureOf(pods.pod(pod), exactly(at), reaches.at(pods.nodeIndex(pod), at));
    if (goneAt !== null) events.push({ at: goneAt.latest, kind: 'gone', pod });
  }
  // Changes at the same time keep their order: a pod that is evicted immediately is marked before.
  return yield* stepSorted(events, (a, b) => a.at - b.at);
}
