import type { UndecidedPlugin } from '../admission/undecided-plugins.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { ManifestObject } from '../kubernetes/manifests/manifest-object.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import type { Cause } from '../kubernetes/admission-refusal.js';
import type { Placement } from '../placement/placement.js';

export type ObjectOutcome =
  | {
      readonly outcome: 'created' | 'configured' | 'unchanged';
      readonly code: number;
      readonly warnings: readonly string[];
    }
  | {
      readonly outcome: 'refused';
      readonly code: number;
      readonly by: string;
      readonly message: string;
      readonly causes: readonly Cause[];
      readonly certain: boolean;
    }
  | { readonly outcome: 'notLookedAt'; readonly why: string }
  | { readonly outcome: 'unknown'; readonly unknownBecause: readonly UndecidedPlugin[] };

export interface FailedScheduling {
  readonly text: string;
  readonly pods: number;
  readonly placement: Placement;
  readonly pod: Pod;
}

export interface WorkloadOutcome {
  readonly object: ManifestObject | undefined;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly desired: number;
  readonly created: number;
  readonly bound: number;
  readonly pending: number;
  readonly ready: number;
  readonly nodes: ReadonlyMap<string, number>;
  readonly failedScheduling: readonly FailedScheduling[];
  readonly failedCreate: readonly { readonly text: string; readonly by: string; readonly certain: boolean }[];
  readonly unknownBecause: readonly UndecidedPlugin[];
}

export interface Rollout {
  readonly objects: readonly ObjectOutcome[];
  readonly workloads: readonly WorkloadOutcome[];
  readonly quotas: readonly { readonly before: ResourceQuota; readonly after: ResourceQuota }[];
  readonly preempted: readonly {
    readonly pod: Pod;
    readonly node: string;
    readonly workload: string;
    readonly for: string;
  }[];
  readonly state: ClusterState;
}
