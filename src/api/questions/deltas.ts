import { deltaErrors } from '../../app/snapshots/given-delta.js';
import { ReadDeltas } from '../../app/snapshots/read-deltas.js';
import { TakeDelta } from '../../app/snapshots/take-delta.js';
import { readDeltas, takeDelta } from '../../contract/deltas/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

/** What changed in clusters since a snapshot. */
export const DELTA_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(takeDelta, TakeDelta, { crossFieldErrors: deltaErrors }),
  answeredBy(readDeltas, ReadDeltas),
];
