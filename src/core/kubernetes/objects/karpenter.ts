import type { KubernetesObject, Labels, ResourceList } from './meta.js';
import type { Taint } from './taints.js';

/** `karpenter.sh/v1` NodePool: what Karpenter may launch nodes from. `v1beta1` has these fields in the same places. */
export interface NodePool extends KubernetesObject {
  readonly kind: 'NodePool';
  readonly spec?: {
    readonly limits?: ResourceList;
    /** Set for a static pool, which does not grow with the demand of pods. */
    readonly replicas?: number;
    readonly template?: {
      readonly metadata?: { readonly labels?: Labels };
      readonly spec?: NodeClaimTemplateSpec;
    };
    readonly weight?: number;
  };
  readonly status?: { readonly conditions?: readonly PoolCondition[] };
}

export interface NodeClaimTemplateSpec {
  /** Without a group: of `v1beta1`. */
  readonly nodeClassRef?: { readonly group?: string; readonly kind?: string; readonly name?: string };
  readonly requirements?: readonly PoolRequirement[];
  readonly startupTaints?: readonly Taint[];
  readonly taints?: readonly Taint[];
}

/** Besides the operators of node affinity, Gte and Lte. */
export interface PoolRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
  /** How many different values the instance types must leave. */
  readonly minValues?: number;
}

export interface PoolCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

/** `karpenter.sh/v1` NodeClaim: one node that Karpenter launches, or has launched. */
export interface NodeClaim extends KubernetesObject {
  readonly kind: 'NodeClaim';
  readonly spec?: NodeClaimTemplateSpec & { readonly resources?: { readonly requests?: ResourceList } };
  readonly status?: {
    readonly allocatable?: ResourceList;
    readonly capacity?: ResourceList;
    readonly conditions?: readonly PoolCondition[];
    readonly nodeName?: string;
  };
}
