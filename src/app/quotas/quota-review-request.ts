import type { quotaReviewItemInput } from '../../contract/quotas/quota-review.js';
import type { Request } from '../../contract/schema.js';
import { FieldPath } from '../../core/kubernetes/field-path.js';
import { MAX_REPLICAS } from '../../core/quota-review/how-many-fit.js';
import { SCALABLE_KINDS, type ScalableKind } from '../../core/quota-review/workload-replicas.js';
import { faultAt } from '../errors/fault-at.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';

/** An item of a review: either `pod` or `workloadRef`. */
export type QuotaReviewQuestion = Omit<Request<typeof quotaReviewItemInput>, 'id'>;

/** Errors in an item that can be found without the cluster. */
export function questionFaults({ namespace, pod, workloadRef, replicas }: QuotaReviewQuestion): readonly ErrorDetail[] {
  const faults: ErrorDetail[] = [];
  if ((pod === undefined) === (workloadRef === undefined)) {
    faults.push({ pointer: '', code: 'one-of', message: 'give either pod or workloadRef' });
  }
  const at = FieldPath.of('replicas');
  if (replicas !== undefined && !(Number.isInteger(replicas) && replicas >= 0 && replicas <= MAX_REPLICAS)) {
    faults.push(faultAt(at, 'out-of-range', `must be from 0 to ${MAX_REPLICAS}`));
  }
  if (workloadRef === undefined) return faults;
  if (replicas === undefined)
    faults.push(faultAt(at, 'required', 'is required: the number of replicas that the workload will have'));
  if (namespace !== undefined) {
    const message = 'must not be set: the namespace of a stored workload is in workloadRef';
    faults.push(faultAt(FieldPath.of('namespace'), 'conflicting-fields', message));
  }
  if (!isScalable(workloadRef.kind)) {
    const message = `must be one of ${SCALABLE_KINDS.join(', ')}; other kinds have no replicas`;
    faults.push(faultAt(FieldPath.of('workloadRef', 'kind'), 'unknown-kind', message));
  }
  return faults;
}

/** @throws {InvalidRequestError} with every error in the item */
export function checkQuestion(question: QuotaReviewQuestion): void {
  const faults = questionFaults(question);
  if (faults.length > 0) throw new InvalidRequestError(faults);
}

export const isScalable = (kind: string): kind is ScalableKind => (SCALABLE_KINDS as readonly string[]).includes(kind);
