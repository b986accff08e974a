import type { Int64 } from '../../../kubernetes/objects/meta.js';

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
