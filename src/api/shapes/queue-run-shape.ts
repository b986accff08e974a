import { defined } from '../../core/collections/defined.js';
import {
  COMPLETENESS,
  TIME_BUDGET,
  SCHEDULER_NAME,
  CONFIGURATION,
  queueRunInput,
  queueTotals,
  queueWorkload,
  queueRefusal,
  queueReason,
  queueTaint,
  unblocking,
  queueDecision,
  QUEUE_HEAD,
} from '../../contract/scheduling/queue-run.js';
import { responseClass, requestClass } from '../contract/object-classes.js';
import type { Response, Request } from '../../contract/schema.js';
import { type QueueQuestion } from '../../app/scheduling/run-queue.js';

export { TIME_BUDGET };

export { SCHEDULER_NAME };

export { CONFIGURATION };

export const QueueRunBody = requestClass(queueRunInput);
export type QueueRunBody = Request<typeof queueRunInput>;

export function queueQuestionOf(body: QueueRunBody): QueueQuestion {
  const { pending, pods, admission, schedulerName, configuration, timeBudgetMs, unblocking, changesTried, seed } = body;
  return {
    ...defined({ pending }),
    ...(pods === undefined
      ? {}
      : { pods: pods.map(({ id, pod, replicas, namespace }) => ({ id, pod, replicas, namespace })) }),
    ...defined({ admission, schedulerName, configuration, timeBudgetMs, unblocking, changesTried, seed }),
  };
}

export const QueueTotalsShape = responseClass(queueTotals);
export type QueueTotalsShape = Response<typeof queueTotals>;

export const QueueWorkloadShape = responseClass(queueWorkload);
export type QueueWorkloadShape = Response<typeof queueWorkload>;

export const QueueRefusalShape = responseClass(queueRefusal);
export type QueueRefusalShape = Response<typeof queueRefusal>;

export const QueueReasonShape = responseClass(queueReason);
export type QueueReasonShape = Response<typeof queueReason>;

export const QueueTaintShape = responseClass(queueTaint);
export type QueueTaintShape = Response<typeof queueTaint>;

export const UnblockingShape = responseClass(unblocking);
export type UnblockingShape = Response<typeof unblocking>;

export const QueueDecisionShape = responseClass(queueDecision);
export type QueueDecisionShape = Response<typeof queueDecision>;

export { QUEUE_HEAD };

export { COMPLETENESS };
