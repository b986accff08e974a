import { FEW_CANDIDATES, preemptionInput, preemption } from '../../contract/scheduling/preemption.js';
import { responseClass, requestClass, crossFieldErrors } from '../contract/object-classes.js';
import type { Response, Request } from '../../contract/schema.js';
import type { AdmissionMode, PlacementQuestion } from '../../app/placements/placement-request.js';
import { subjectFaults, subjectOf } from './pod-subject.js';

export const PreemptionQuestionBody = requestClass(preemptionInput);
export type PreemptionQuestionBody = Request<typeof preemptionInput>;
crossFieldErrors(preemptionInput, subjectFaults);

/** @param query what the address says of admission, where the body says nothing */
export function preemptionQuestionOf(
  body: PreemptionQuestionBody,
  query: { readonly admission?: AdmissionMode } = {},
): PlacementQuestion & { readonly mostCandidates: number } {
  return { ...subjectOf(body, query), mostCandidates: body.mostCandidates ?? FEW_CANDIDATES };
}

export const PreemptionShape = responseClass(preemption);
export type PreemptionShape = Response<typeof preemption>;
