import {
  podAllocation,
  nodeAllocationSummary,
  nodeAllocationHead,
  ALLOCATION_FILTERS,
  namedOverhead,
  OVERHEAD_BY,
  overheadCostsHead,
} from '../../contract/resources/allocation.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const PodAllocationShape = responseClass(podAllocation);
export type PodAllocationShape = Response<typeof podAllocation>;

export const NodeAllocationShape = responseClass(nodeAllocationSummary);
export type NodeAllocationShape = Response<typeof nodeAllocationSummary>;

export const NodeAllocationHeadShape = responseClass(nodeAllocationHead);
export type NodeAllocationHeadShape = Response<typeof nodeAllocationHead>;

export { ALLOCATION_FILTERS };

export const NamedOverheadShape = responseClass(namedOverhead);
export type NamedOverheadShape = Response<typeof namedOverhead>;

export { OVERHEAD_BY };

export const OverheadCostsHeadShape = responseClass(overheadCostsHead);
export type OverheadCostsHeadShape = Response<typeof overheadCostsHead>;
