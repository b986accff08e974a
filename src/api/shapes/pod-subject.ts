import { defined } from '../../core/collections/defined.js';
import { podReferenceInput, workloadReferenceInput, featureGatesInput } from '../../contract/common/pod-subject.js';
import { requestClass } from '../contract/object-classes.js';
import type { Request } from '../../contract/schema.js';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import { questionFaults, type AdmissionMode, type PlacementQuestion } from '../../app/placements/placement-request.js';
import type { JsonObject } from '../../core/json/json-value.js';

export const PodReferenceBody = requestClass(podReferenceInput);
export type PodReferenceBody = Request<typeof podReferenceInput>;

export const WorkloadReferenceBody = requestClass(workloadReferenceInput);
export type WorkloadReferenceBody = Request<typeof workloadReferenceInput>;

export const FeatureGatesBody = requestClass(featureGatesInput);
export type FeatureGatesBody = Request<typeof featureGatesInput>;

interface GivenSubject {
  readonly pod?: JsonObject;
  readonly workload?: JsonObject;
  readonly podRef?: PodReferenceBody;
  readonly workloadRef?: WorkloadReferenceBody;
  readonly featureGates?: FeatureGatesBody;
  readonly admission?: AdmissionMode;
}

/**
 * Whoever misspells a field learns at once what of the manifest is to be mended, too. Only what has its type is looked at: the rest
 * is named already.
 */
export function subjectFaults(
  { pod, workload, podRef, workloadRef }: GivenSubject,
  more: Pick<PlacementQuestion, 'rules'> = {},
): readonly ErrorDetail[] {
  const readable = Object.entries({ pod, workload, podRef, workloadRef }).filter(([, value]) => isObject(value));
  return questionFaults({ ...Object.fromEntries(readable), ...more });
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param query what the address says of admission, where the body says nothing */
export function subjectOf(body: GivenSubject, query: { readonly admission?: AdmissionMode } = {}): PlacementQuestion {
  const { pod, workload, podRef, workloadRef, featureGates, admission = query.admission } = body;
  return defined({ pod, workload, podRef, workloadRef, featureGates, admission });
}
