import type { IntOrString, KubernetesObject, ObjectMeta } from './meta.js';
import type { Condition, PodTemplateSpec } from './pod.js';
import type { LabelSelector } from './selectors.js';
import type { PersistentVolumeClaimSpec } from './storage.js';

/** `apps/v1` RollingUpdateDeployment and RollingUpdateDaemonSet. */
export interface RollingUpdate {
  readonly maxUnavailable?: IntOrString;
  readonly maxSurge?: IntOrString;
}

/** `apps/v1` Deployment. */
export interface Deployment extends KubernetesObject {
  readonly kind: 'Deployment';
  readonly spec?: {
    /** Absent in a manifest means 1. */
    readonly replicas?: number;
    readonly selector?: LabelSelector;
    readonly template?: PodTemplateSpec;
    readonly paused?: boolean;
    readonly strategy?: {
      readonly type?: string;
      readonly rollingUpdate?: RollingUpdate;
    };
  };
  readonly status?: {
    readonly observedGeneration?: number | bigint;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly unavailableReplicas?: number;
  };
}

/** `apps/v1` ReplicaSet. */
export interface ReplicaSet extends KubernetesObject {
  readonly kind: 'ReplicaSet';
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: LabelSelector;
    readonly template?: PodTemplateSpec;
  };
  readonly status?: {
    readonly observedGeneration?: number | bigint;
    readonly replicas?: number;
    readonly fullyLabeledReplicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    /** `ReplicaFailure`; its message is kept if admission refused a pod. */
    readonly conditions?: readonly Omit<Condition, 'lastHeartbeatTime'>[];
  };
}

/** `v1` ReplicationController; its selector is a plain map of labels. */
export interface ReplicationController extends KubernetesObject {
  readonly kind: 'ReplicationController';
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: Readonly<Record<string, string>>;
    readonly template?: PodTemplateSpec;
  };
  readonly status?: {
    readonly observedGeneration?: number | bigint;
    readonly replicas?: number;
    readonly fullyLabeledReplicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
  };
}

/** The template of a claim that a StatefulSet creates for each of its pods. */
export interface VolumeClaimTemplate {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: PersistentVolumeClaimSpec;
}

/** `apps/v1` StatefulSet. */
export interface StatefulSet extends KubernetesObject {
  readonly kind: 'StatefulSet';
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: LabelSelector;
    readonly template?: PodTemplateSpec;
    readonly serviceName?: string;
    readonly podManagementPolicy?: string;
    readonly ordinals?: { readonly start?: number };
    readonly updateStrategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly partition?: number; readonly maxUnavailable?: IntOrString };
    };
    /** The templates of the claims that each pod gets, named `<template>-<pod>`. */
    readonly volumeClaimTemplates?: readonly VolumeClaimTemplate[];
  };
  readonly status?: {
    readonly observedGeneration?: number | bigint;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly currentReplicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
  };
}

/** `apps/v1` DaemonSet. */
export interface DaemonSet extends KubernetesObject {
  readonly kind: 'DaemonSet';
  readonly spec?: {
    readonly selector?: LabelSelector;
    readonly template?: PodTemplateSpec;
    readonly updateStrategy?: {
      readonly type?: string;
      readonly rollingUpdate?: RollingUpdate;
    };
  };
  readonly status?: {
    readonly observedGeneration?: number | bigint;
    readonly currentNumberScheduled?: number;
    readonly numberMisscheduled?: number;
    readonly desiredNumberScheduled?: number;
    readonly numberReady?: number;
    readonly updatedNumberScheduled?: number;
    readonly numberAvailable?: number;
    readonly numberUnavailable?: number;
  };
}

/** `batch/v1` JobSpec. */
export interface JobSpec {
  /** The API server always sets it: a Job without it was stored when this and the policies of Jobs were not kept. */
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly podFailurePolicy?: PodFailurePolicy;
  readonly successPolicy?: SuccessPolicy;
  readonly parallelism?: number;
  readonly completions?: number;
  readonly completionMode?: string;
  readonly suspend?: boolean;
  /** `TerminatingOrFailed` or `Failed`: when a pod is replaced. */
  readonly podReplacementPolicy?: string;
  /** The controller that creates the pods, if it is not the Job controller. */
  readonly managedBy?: string;
  readonly selector?: LabelSelector;
  readonly template?: PodTemplateSpec;
}

/** `batch/v1` PodFailurePolicy. */
export interface PodFailurePolicy {
  readonly rules?: readonly {
    readonly action?: string;
    readonly onExitCodes?: {
      readonly containerName?: string;
      readonly operator?: string;
      readonly values?: readonly number[];
    };
    readonly onPodConditions?: readonly { readonly type?: string; readonly status?: string }[];
  }[];
}

/** `batch/v1` SuccessPolicy. */
export interface SuccessPolicy {
  readonly rules?: readonly { readonly succeededIndexes?: string; readonly succeededCount?: number }[];
}

/** `batch/v1` Job. */
export interface Job extends KubernetesObject {
  readonly kind: 'Job';
  readonly spec?: JobSpec;
  readonly status?: {
    readonly active?: number;
    readonly ready?: number;
    readonly succeeded?: number;
    readonly failed?: number;
    readonly terminating?: number;
    readonly startTime?: string;
    readonly completionTime?: string;
  };
}

/** `batch/v1` CronJob. */
export interface CronJob extends KubernetesObject {
  readonly kind: 'CronJob';
  readonly spec?: {
    readonly schedule?: string;
    readonly timeZone?: string;
    readonly suspend?: boolean;
    readonly jobTemplate?: {
      readonly metadata?: Partial<ObjectMeta>;
      readonly spec?: JobSpec;
    };
  };
  readonly status?: { readonly lastScheduleTime?: string; readonly lastSuccessfulTime?: string };
}

/** Every kind that creates pods from a template. */
export type Workload = Deployment | ReplicaSet | ReplicationController | StatefulSet | DaemonSet | Job | CronJob;
