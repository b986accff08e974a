import type { ClusterState } from '../../../cluster/cluster-state.js';
import type { Int64 } from '../../../kubernetes/objects/meta.js';
import { UNRESOLVABLE, UNSCHEDULABLE, type StatusCode } from '../../plugin.js';

/** One resource that the pod asks for, beside the node's columns of it. */
export interface Demand {
  readonly resource: string;
  readonly request: Int64;
  /** The request where every value is a safe integer; NaN where it is not. */
  readonly plain: number;
  readonly allocatable: Float64Array | undefined;
  readonly used: Float64Array | undefined;
  /** Left to DynamicResources on nodes that have none of it. */
  readonly delegated: boolean;
}

/** The answer for a request greater than the node's allocatable (`InsufficientResource.Unresolvable`, new in 1.34). */
export const tooLargeIn = ({ rules }: ClusterState): StatusCode => (rules.minor >= 34 ? UNRESOLVABLE : UNSCHEDULABLE);
