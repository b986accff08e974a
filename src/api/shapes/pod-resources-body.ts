import { defined } from '../../core/collections/defined.js';
import { resourcesOptions, podResourcesInput } from '../../contract/resources/pod-resources-request.js';
import { requestClass, crossFieldErrors } from '../contract/object-classes.js';
import type { Request } from '../../contract/schema.js';
import type { PodResourcesRequest } from '../../app/resources/explain-pod-resources.js';
import type { GivenKubelet } from '../../app/resources/resources-request.js';
import type { AdmissionMode } from '../../app/placements/placement-request.js';
import { subjectFaults, subjectOf } from './pod-subject.js';

export const ResourcesOptions = requestClass(resourcesOptions);
export type ResourcesOptions = Request<typeof resourcesOptions>;

export const PodResourcesQuestionBody = requestClass(podResourcesInput);
export type PodResourcesQuestionBody = Request<typeof podResourcesInput>;
crossFieldErrors(podResourcesInput, subjectFaults);

type Question = Omit<PodResourcesRequest, 'cluster' | 'readAt'>;

/** @param query what the address says of admission, where the body says nothing */
export function resourcesQuestionOf(
  body: PodResourcesQuestionBody,
  query: { readonly admission?: AdmissionMode } = {},
): Question {
  return { ...subjectOf(body, query), ...resourcesOptionsOf(body) };
}

export function resourcesOptionsOf({ node, ...given }: ResourcesOptions): Pick<Question, 'node' | 'kubelet'> {
  const { cgroupDriver, cgroupVersion, cpuCFSQuota, cpuCFSQuotaPeriod, memoryQoS, memoryReservationPolicy } = given;
  const kubelet: GivenKubelet = {
    ...defined({ cgroupDriver, cgroupVersion, cpuCFSQuota, cpuCFSQuotaPeriod, memoryQoS, memoryReservationPolicy }),
  };
  return { kubelet, ...defined({ node }) };
}
