import type { refusalTexts as refusalTextsType } from '../../contract/common/refusal.js';
import type { Response } from '../../contract/schema.js';
import type { ReasonCount } from '../../core/placement/roll-up.js';
import type { QueueRefusal } from '../../core/scheduling/queue/step-queue.js';

type RefusalTexts = Response<typeof refusalTextsType>;

export const NO_REFUSAL: RefusalTexts = { message: null, preemption: null, reasons: [] };

export function refusalTexts({ message, reasons }: QueueRefusal): RefusalTexts {
  return {
    message: message.text ?? null,
    preemption: message.preemption === 'not-evaluated' ? 'notEvaluated' : message.preemption,
    reasons: reasons.map(reasonText),
  };
}

export const reasonText = ({
  plugin,
  code,
  message,
  nodes,
  first,
  note,
  taints = [],
}: ReasonCount): RefusalTexts['reasons'][number] => ({
  plugin,
  code,
  message,
  nodes,
  first,
  note: note ?? null,
  taints,
});
