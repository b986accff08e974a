import {
  DIFFERENCES_FILTER,
  comparisonSideInput,
  podSelectionInput,
  AGAINST,
  SELECTION,
  comparedPod,
  comparisonCounts,
} from '../../contract/placements/placement-comparison.js';
import { responseClass, requestClass } from '../contract/object-classes.js';
import type { Response, Request } from '../../contract/schema.js';

export { DIFFERENCES_FILTER };

export const ComparisonSideBody = requestClass(comparisonSideInput);
export type ComparisonSideBody = Request<typeof comparisonSideInput>;

export const PodSelectionBody = requestClass(podSelectionInput);
export type PodSelectionBody = Request<typeof podSelectionInput>;

export { AGAINST };

export { SELECTION };

export const ComparedPodShape = responseClass(comparedPod);
export type ComparedPodShape = Response<typeof comparedPod>;

export const ComparisonCountsShape = responseClass(comparisonCounts);
export type ComparisonCountsShape = Response<typeof comparisonCounts>;
