import type { Int64 } from '../../kubernetes/objects/meta.js';
import type { ResourceSpec, ShapePoint } from '../../placement/weighted-resources.js';
import type { Extender } from '../configuration-types.js';

/**
 * The legacy Policy (`apiVersion: v1`), which Kubernetes read up to 1.22: predicates filtered nodes and priorities scored them.
 *
 * Source: k8s.io/kube-scheduler v0.22, config/v1/legacy_types.go.
 */
export interface Policy {
  /** Absent: the default predicates. Empty: only the mandatory ones. */
  readonly predicates?: readonly PredicatePolicy[];
  /** Absent: the default priorities. Empty: none. */
  readonly priorities?: readonly PriorityPolicy[];
  readonly extenders?: readonly Extender[];
  readonly hardPodAffinitySymmetricWeight?: number;
  readonly alwaysCheckAllPredicates?: boolean;
}

export interface PredicatePolicy {
  readonly name?: string;
  readonly argument?: {
    readonly serviceAffinity?: { readonly labels?: readonly string[] };
    readonly labelsPresence?: { readonly labels?: readonly string[]; readonly presence?: boolean };
  };
}

export interface PriorityPolicy {
  readonly name?: string;
  readonly weight?: Int64;
  readonly argument?: {
    readonly serviceAntiAffinity?: { readonly label?: string };
    readonly labelPreference?: { readonly label?: string; readonly presence?: boolean };
    readonly requestedToCapacityRatioArguments?: {
      readonly shape?: readonly ShapePoint[];
      readonly resources?: readonly ResourceSpec[];
    };
  };
}
