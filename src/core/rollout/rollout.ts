import type { DryRunAnswer } from '../admission/dry-run.js';
import type { PolicyWork } from '../admission/policies/policy-work.js';
import type { UndecidedPlugin } from '../admission/undecided-plugins.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { Workload as WorkloadName } from '../cluster/pod-table.js';
import type { ClaimAllocation } from '../devices/device-allocator.js';
import type { JsonObject } from '../json/json-value.js';
import type { Cause } from '../kubernetes/admission-refusal.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { ResourceList } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import type { Placement } from '../placement/placement.js';
import type { SchedulingProfile } from '../scheduling/schedule-pod.js';

/** An object of a request, as it was sent. */
export interface ManifestObject {
  readonly source: ManifestSource;
  readonly apiVersion: string;
  readonly kind: string;
  /** Set for every namespaced kind: its own, or that of the request, or `default`. */
  readonly namespace: string | undefined;
  /** Empty if only `generateName` is given. */
  readonly name: string;
  readonly value: JsonObject;
}

/** Where in a request an object is. */
interface ManifestSource {
  /** From 0. */
  readonly document: number;
  /** From 0; absent outside a List. */
  readonly item?: number;
  /** A JSON pointer to the object in the request. */
  readonly pointer: string;
  /** From 1; absent if the request was not text. */
  readonly line?: number;
}

export interface RolloutOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly gates: TolerationGates;
  /** What policies are evaluated with; they are evaluated by themselves if it is absent. */
  readonly work?: PolicyWork;
  /** What the API server answered to the pods of objects of the request, by the objects' values. */
  readonly dryRuns?: ReadonlyMap<JsonObject, DryRunAnswer>;
  /** How a scheduler decides; by default as the cluster's scheduler configuration says. Undefined: no such scheduler runs. */
  readonly profileOf?: (schedulerName: string) => SchedulingProfile | undefined;
  /** The number of pods that are created at most; the workloads whose pods are left out are unknown. 10,000 by default. */
  readonly mostPods?: number;
  /** What the kubelet makes of a pod that is bound to its node; every pod is `ready` by default. */
  readonly kubelet?: (pod: Pod) => KubeletOutcome;
  /**
   * Whether the provisioner of a StorageClass makes volumes. By default every provisioner but `kubernetes.io/no-provisioner` does, and
   * what rests on it is unknown where the volume decides about nodes.
   */
  readonly provisions?: (storageClass: string) => boolean;
}

/** `ready`: Running and Ready; `notReady`: Running, but never Ready; `succeeded`: all containers end without an error. */
export type KubeletOutcome = 'ready' | 'notReady' | 'succeeded';

/** What the API server answers to one object of the request. */
export type ObjectOutcome =
  | {
      readonly outcome: 'created' | 'configured' | 'unchanged';
      /** HTTP: 201 for `created`, else 200. */
      readonly code: 200 | 201;
      /** Texts of `Warning` headers that are known here. */
      readonly warnings: readonly string[];
      /** Plugins that may refuse the object and were not asked. */
      readonly undecided: readonly UndecidedPlugin[];
    }
  | {
      readonly outcome: 'refused';
      /** HTTP. */
      readonly code: number;
      /** `validation`, `update` (a field that must not change), or the name of an admission plugin. */
      readonly by: string;
      readonly message: string;
      readonly causes: readonly Cause[];
      /** Whether plugins that were not asked could not have led to another outcome. */
      readonly certain: boolean;
      readonly undecided: readonly UndecidedPlugin[];
    }
  /** Its kind has no effect on where pods run, or is not known here. */
  | { readonly outcome: 'notLookedAt'; readonly why: string };

/** Why the outcome of a workload is not certain. */
export interface RolloutUnknown {
  readonly code:
    /** An admission plugin was not asked; without it, pods were created. */
    | 'admission'
    /** The result of a filter is not known, so the pods found no node for certain. */
    | 'filter'
    /** A score is not known or fails, so the pods may go to another node. */
    | 'score'
    /** No scheduler of the name is known. */
    | 'scheduler'
    /** Another controller than Kubernetes' own creates the pods. */
    | 'controller'
    /** Fields of the stored workload are not kept, so whether its template changes is not known. */
    | 'template'
    /** A volume would have to be provisioned. */
    | 'volume'
    /** More pods than the limit, or the rollout did not become quiet. */
    | 'limit';
  readonly message: string;
  readonly plugin?: string;
  /** What to load so that it would be known. */
  readonly missingKinds: readonly KeptKind[];
}

/** Pods that wait with the same text in their condition PodScheduled, or for a claim. */
export interface FailedScheduling {
  /** `Unschedulable` or `SchedulingGated`; undefined for pods that have no condition yet. */
  readonly reason: 'Unschedulable' | 'SchedulingGated' | 'SchedulerError' | undefined;
  /**
   * The message of the condition, as of the last attempt; of the event, if a claim for devices of the pods cannot be made. With `HASH` and `RAND`
   * for the parts of names that nobody can know. Undefined if a filter's result is unknown, or there is none yet.
   */
  readonly text: string | undefined;
  readonly pods: number;
  /** One of the pods, as it is stored. */
  readonly pod: Pod;
  /** Of that pod at its last attempt; absent for gated pods, and for pods that the scheduler did not try in this rollout. */
  readonly placement?: Placement;
  /** The admission plugin that refuses a claim for devices, without which the scheduler does not try the pods. */
  readonly by?: string;
  /** The node that the scheduler has chosen while it waits for a volume. */
  readonly node?: string;
}

/** A refusal of pods or claims that a controller tried to create. */
export interface FailedCreate {
  /** Of the event; `ReplicaSetCreateError` where a Deployment could not make a ReplicaSet. */
  readonly reason: 'FailedCreate' | 'ReplicaSetCreateError';
  /** Of the event, with `HASH` for the pod-template hash and `RAND` for the random end of a name. */
  readonly text: string;
  /** The API server's message within it. */
  readonly message: string;
  /** `validation`, or the name of the admission plugin. */
  readonly by: string;
  readonly code: number;
  readonly causes: readonly Cause[];
  readonly certain: boolean;
  /** The pod as it was sent; absent for claims. */
  readonly pod?: Pod;
  /** Whether pods are still missing because of it at the end. */
  readonly persists: boolean;
}

/** What becomes of one workload. */
export interface WorkloadOutcome extends WorkloadName {
  /** Its index in the request; undefined for a workload of the cluster that the rollout affects. */
  readonly object: number | undefined;
  readonly desired: number;
  /** Pods that have not ended, at the end. */
  readonly created: number;
  readonly bound: number;
  readonly pending: number;
  readonly ready: number;
  /** Bound pods by the name of the node. */
  readonly nodes: ReadonlyMap<string, number>;
  /** What the claims of these get, by the name of the node. */
  readonly devices: ReadonlyMap<string, readonly ClaimAllocation[]>;
  /** By number of pods, descending. */
  readonly failedScheduling: readonly FailedScheduling[];
  /** In the order of their occurrence. */
  readonly failedCreate: readonly FailedCreate[];
  /** Of a Deployment, by revision. */
  readonly replicaSets?: readonly ReplicaSetOutcome[];
  /** The counts of `status` as its controller writes them. */
  readonly status: Readonly<Record<string, number>>;
  /** Of a Deployment; Progressing and ReplicaFailure by their reason, Available by its status. */
  readonly conditions?: {
    readonly available?: string;
    readonly progressing?: string;
    readonly replicaFailure?: string;
  };
  /** Of a StatefulSet, by ordinal. */
  readonly podNames?: readonly string[];
  /** Of a StatefulSet or DaemonSet, as it is stored in the end. */
  readonly updateStrategy?: {
    readonly type?: string;
    readonly rollingUpdate?: { readonly partition?: number };
  };
  /** Of a Job. */
  readonly complete?: boolean;
  readonly unknownBecause: readonly RolloutUnknown[];
}

export interface ReplicaSetOutcome {
  readonly name: string;
  readonly revision: number;
  readonly desired: number;
  readonly created: number;
  readonly ready: number;
  readonly replicaFailure?: string;
}

export interface ClaimOutcome {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  /** The node for which a volume is to be provisioned. */
  readonly selectedNode?: string;
  readonly volume?: string;
}

export interface QuotaOutcome {
  readonly namespace: string;
  readonly name: string;
  readonly hard: ResourceList;
  readonly before: ResourceList;
  readonly after: ResourceList;
}

/** A pod that the scheduler evicted. */
export interface PreemptedPod {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  /** Of the evicted pod. */
  readonly workload: WorkloadName;
  /** The workload of the pod that takes its place. */
  readonly preemptor: WorkloadName;
}

/** What becomes of manifests, once the cluster is quiet. */
export interface Rollout {
  /** Aligned with the request. */
  readonly objects: readonly ObjectOutcome[];
  /** Those of the request in its order, then others that it affects. */
  readonly workloads: readonly WorkloadOutcome[];
  /** Claims that are new, or that changed. */
  readonly claims: readonly ClaimOutcome[];
  /** Quotas of the namespaces of the request. */
  readonly quotas: readonly QuotaOutcome[];
  readonly preempted: readonly PreemptedPod[];
  /** What the rollout took, about in microseconds, as far as the number of pods and nodes tells; the same for the same question. */
  readonly work: number;
  /** The cluster afterwards, without values of the former state's tables; for questions that follow. */
  readonly state: () => ClusterState;
  /** The same in steps. */
  readonly stepState: () => Generator<undefined, ClusterState>;
}
