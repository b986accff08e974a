import { aggregateMessage, messageWithPreemption, type AggregateMessage } from '../placement/aggregate-message.js';
import type { Placement } from '../placement/placement.js';
import type { Preemption } from './preempt.js';

/**
 * The complete message of the pod's `PodScheduled` condition and `FailedScheduling` event: with the part about preemption if
 * preemption fails, without it if it succeeds.
 */
export function unscheduledMessage(placement: Placement, preemption: Preemption): AggregateMessage {
  switch (preemption.outcome) {
    case 'nominated':
      return messageWithPreemption(placement, { outcome: 'success' });
    case 'unschedulable':
    case 'error':
      return messageWithPreemption(placement, preemption);
    case 'unknown':
    case 'notTried':
      return aggregateMessage(placement);
  }
}
