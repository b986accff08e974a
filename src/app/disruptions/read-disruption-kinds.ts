import type { readDisruptionKinds } from '../../contract/disruptions/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { DISRUPTION_KINDS } from '../../core/disruption/disruption-kinds.js';

/** The ways in which Kubernetes takes a pod away, told apart. */
export class ReadDisruptionKinds {
  run(): AnswerTo<typeof readDisruptionKinds> {
    return { items: DISRUPTION_KINDS };
  }
}
