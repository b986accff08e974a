import type { scheduleEvictions } from '../../contract/evictions/questions.js';
import type { knownMoment } from '../../contract/evictions/eviction-schedule.js';
import type { AnswerTo } from '../../contract/question.js';
import type { Response } from '../../contract/schema.js';
import type { KnownMoment } from '../../core/eviction/known-moment.js';
import type { BaseKnown } from '../../core/eviction-schedule/fold-pod.js';
import { FIRST_TIME, LAST_TIME } from '../time-bounds.js';

export type ScheduleResponse = AnswerTo<typeof scheduleEvictions>;

/**
 * RFC 3339, without a fraction for whole seconds. Times outside its range become the first or last second of the range:
 * tolerations of 292 years and longer grace periods are valid.
 */
export function timeText(at: number): string {
  return new Date(Math.max(FIRST_TIME, Math.min(LAST_TIME, Math.round(at)))).toISOString().replace('.000Z', 'Z');
}

export function momentResponse({ earliest, latest }: KnownMoment): Response<typeof knownMoment> {
  return { earliest: earliest === -Infinity ? null : timeText(earliest), latest: timeText(latest) };
}

const KNOWN_TEXTS: Readonly<Record<BaseKnown, string>> = {
  auditEvent: 'the audit log of the API server contains the write of the taints',
  recordedChange:
    'the taints were set through this service; the time at which the cluster received them is known as far as it was observed',
  timeAdded: 'the node controller wrote the time with its taint, and no snapshot contradicts it',
  snapshots: 'one snapshot shows the node without the taint, the next one with it',
  firstSeen: 'the taint existed when the node was first observed, so its age is unknown',
  question: 'specified by the request',
  nodeLifecycle: 'the node lifecycle controller would set the taint at this time',
  binding: 'the pod was bound to the node after the taint was set',
  tolerations: 'the tolerations of the pod were changed at this time',
  controllerStart: 'the controller was started at this time, without any timers',
  deviceTaint: 'the taint of the device has this time, and its controller counts from it',
};

export const knownText = (known: BaseKnown): string => KNOWN_TEXTS[known];
