import type { JsonObject } from '../../core/json/json-value.js';
import { FieldPath } from '../../core/kubernetes/field-path.js';
import { MOST_REPLICAS } from '../../core/quota-review/how-many-fit.js';
import { SCALABLE_KINDS, type ScalableKind } from '../../core/quota-review/workload-replicas.js';
import { faultAt } from '../errors/fault-at.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';

/** By what the quotas are judged: `status.used`, as admission does, or what their objects add up to, as after the next recount. */
export type QuotaBasis = 'reported' | 'counted';

/** One question of a review: either `pod` or `workloadRef`. */
export interface QuotaReviewQuestion {
  /** Where the manifest is sent. */
  readonly namespace?: string | undefined;
  /** The manifest of a Pod or of a workload. */
  readonly pod?: JsonObject | undefined;
  /** A stored workload whose replicas change. */
  readonly workloadRef?:
    { readonly kind: string; readonly namespace?: string | undefined; readonly name: string } | undefined;
  /** How many pods like it, or how many replicas; of a manifest as many as it says unless told. */
  readonly replicas?: number | undefined;
}

/** What is wrong with a question without looking at the cluster. */
export function questionFaults({ namespace, pod, workloadRef, replicas }: QuotaReviewQuestion): readonly ErrorDetail[] {
  const faults: ErrorDetail[] = [];
  if ((pod === undefined) === (workloadRef === undefined)) {
    faults.push({ pointer: '', code: 'one-of', message: 'give either pod or workloadRef' });
  }
  const at = FieldPath.of('replicas');
  if (replicas !== undefined && !(Number.isInteger(replicas) && replicas >= 0 && replicas <= MOST_REPLICAS)) {
    faults.push(faultAt(at, 'out-of-range', `must be from 0 to ${MOST_REPLICAS}`));
  }
  if (workloadRef === undefined) return faults;
  if (replicas === undefined) faults.push(faultAt(at, 'required', 'say how many replicas the workload is to have'));
  if (namespace !== undefined) {
    const message = 'the namespace of a stored workload stands in workloadRef';
    faults.push(faultAt(FieldPath.of('namespace'), 'conflicting-fields', message));
  }
  if (!isScalable(workloadRef.kind)) {
    const message = `must be one of ${SCALABLE_KINDS.join(', ')}: no other has replicas`;
    faults.push(faultAt(FieldPath.of('workloadRef', 'kind'), 'unknown-kind', message));
  }
  return faults;
}

/** @throws {InvalidRequestError} naming everything that is wrong */
export function checkQuestion(question: QuotaReviewQuestion): void {
  const faults = questionFaults(question);
  if (faults.length > 0) throw new InvalidRequestError(faults);
}

export const isScalable = (kind: string): kind is ScalableKind => (SCALABLE_KINDS as readonly string[]).includes(kind);
