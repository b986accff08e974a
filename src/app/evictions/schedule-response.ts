import type { scheduleEvictions } from '../../contract/evictions/questions.js';
import type { knownMoment } from '../../contract/evictions/eviction-schedule.js';
import type { AnswerTo } from '../../contract/question.js';
import type { Response } from '../../contract/schema.js';
import type { KnownMoment } from '../../core/eviction/known-moment.js';
import type { BaseKnown } from '../../core/eviction-schedule/fold-pod.js';
import { FIRST_TIME, LAST_TIME } from '../time-bounds.js';

export type ScheduleResponse = AnswerTo<typeof scheduleEvictions>;

/**
 * RFC 3339; without a fraction where the moment is a whole second. What lies beyond its years is said as the first or the last of
 * their seconds: a toleration of 292 years and a grace period of more are allowed.
 */
export function timeText(at: number): string {
  return new Date(Math.max(FIRST_TIME, Math.min(LAST_TIME, Math.round(at)))).toISOString().replace('.000Z', 'Z');
}

export function momentResponse({ earliest, latest }: KnownMoment): Response<typeof knownMoment> {
  return { earliest: earliest === -Infinity ? null : timeText(earliest), latest: timeText(latest) };
}

const KNOWN_TEXTS: Readonly<Record<BaseKnown, string>> = {
  auditEvent: "the API server's audit log has the write of the taints",
  recordedChange:
    'the taints were set through this service; when the cluster took them over is known as far as it was seen',
  timeAdded: 'the node controller wrote the time with its taint, and no snapshot contradicts it',
  snapshots: 'a snapshot shows the node without the taint, and the next one with it',
  firstSeen: 'the taint stood when the node was first seen, so its age is not known',
  question: 'the question itself says when',
  nodeLifecycle: 'the node lifecycle controller would set the taint then',
  binding: 'the pod was bound to the node after the taint was there',
  tolerations: "the pod's tolerations were changed then",
  controllerStart: 'the controller was started then, with no timer in its memory',
};

export const knownText = (known: BaseKnown): string => KNOWN_TEXTS[known];
