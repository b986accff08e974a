import type { readDisruptionKinds } from '../../contract/disruptions/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { DISRUPTION_KINDS } from '../../core/disruption/disruption-kinds.js';

/** Describes the ways in which Kubernetes removes pods. */
export class ReadDisruptionKinds {
  run(): AnswerTo<typeof readDisruptionKinds> {
    return { items: DISRUPTION_KINDS };
  }
}
