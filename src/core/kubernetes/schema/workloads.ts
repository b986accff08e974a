import { defined } from '../../collections/defined.js';
import type { Condition } from '../objects/pod.js';
import type {
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  JobSpec,
  PodFailurePolicy,
  ReplicaSet,
  ReplicationController,
  RollingUpdate,
  StatefulSet,
  SuccessPolicy,
  VolumeClaimTemplate,
} from '../objects/workloads.js';
import { described, list, object, refined, stringMap } from './containers.js';
import { labelSelector, objectMeta, objectReference, templateMeta } from './metadata.js';
import { persistentVolumeClaimStatus } from './persistent-volume.js';
import { podTemplateSpec } from './pod-spec.js';
import { boolean, constant, former, int32, int64, intOrString, since, string, time } from './scalars.js';
import { required } from './schema.js';
import { persistentVolumeClaimSpec } from './volume.js';

/** `v1.RollingUpdateDeployment`. */
const rollingUpdateDeployment = object<RollingUpdate>({
  maxSurge: intOrString,
  maxUnavailable: intOrString,
});

/** `v1.DeploymentStrategy`. */
const deploymentStrategy = object<NonNullable<NonNullable<Deployment['spec']>['strategy']>>({
  rollingUpdate: rollingUpdateDeployment,
  type: string,
});

/** `v1.DeploymentSpec`. */
const deploymentSpec = object<NonNullable<Deployment['spec']>>(
  {
    paused: boolean,
    replicas: int32,
    selector: labelSelector,
    strategy: deploymentStrategy,
    template: podTemplateSpec,
  },
  {
    minReadySeconds: int32,
    progressDeadlineSeconds: int32,
    revisionHistoryLimit: int32,
    rollbackTo: former,
  },
);

/** `v1.DeploymentCondition`. */
const deploymentCondition = described({
  lastTransitionTime: time,
  lastUpdateTime: time,
  message: string,
  reason: string,
  status: string,
  type: string,
});

/** `v1.DeploymentStatus`. */
const deploymentStatus = object<NonNullable<Deployment['status']>>(
  {
    availableReplicas: int32,
    observedGeneration: int64,
    readyReplicas: int32,
    replicas: int32,
    unavailableReplicas: int32,
    updatedReplicas: int32,
  },
  {
    collisionCount: int32,
    conditions: list(deploymentCondition),
    terminatingReplicas: since(33, int32),
  },
);

/** `v1.Deployment`. */
export const deployment = object<Deployment>({
  apiVersion: required(string),
  kind: required(constant('Deployment')),
  metadata: required(objectMeta),
  spec: deploymentSpec,
  status: deploymentStatus,
});

/** `v1.ReplicaSetSpec`. */
const replicaSetSpec = object<NonNullable<ReplicaSet['spec']>>(
  {
    replicas: int32,
    selector: labelSelector,
    template: podTemplateSpec,
  },
  {
    minReadySeconds: int32,
  },
);

/** `v1.ReplicaSetCondition`. */
const replicaSetCondition = object<Omit<Condition, 'lastHeartbeatTime'>>({
  lastTransitionTime: time,
  message: string,
  reason: string,
  status: required(string),
  type: required(string),
});

/** Admission's words name plugins, quotas and amounts; those of validation and of others may quote any value of the pod. */
const REFUSED = /^pods "[^"]*" is forbidden: /;

function withRefusalAlone(condition: Omit<Condition, 'lastHeartbeatTime'>): Omit<Condition, 'lastHeartbeatTime'> {
  if (condition.message === undefined || REFUSED.test(condition.message)) return condition;
  const { type, status, reason, lastTransitionTime } = condition;
  return { type, status, ...defined({ reason, lastTransitionTime }) };
}

/** `v1.ReplicaSetStatus`. */
const replicaSetStatus = object<NonNullable<ReplicaSet['status']>>(
  {
    availableReplicas: int32,
    conditions: list(refined(replicaSetCondition, withRefusalAlone, 'message')),
    fullyLabeledReplicas: int32,
    observedGeneration: int64,
    readyReplicas: int32,
    replicas: int32,
  },
  {
    terminatingReplicas: since(33, int32),
  },
);

/** `v1.ReplicaSet`. */
export const replicaSet = object<ReplicaSet>({
  apiVersion: required(string),
  kind: required(constant('ReplicaSet')),
  metadata: required(objectMeta),
  spec: replicaSetSpec,
  status: replicaSetStatus,
});

/** `v1.ReplicationControllerSpec`. */
const replicationControllerSpec = object<NonNullable<ReplicationController['spec']>>(
  {
    replicas: int32,
    selector: stringMap,
    template: podTemplateSpec,
  },
  {
    minReadySeconds: int32,
  },
);

/** `v1.ReplicationControllerCondition`. */
const replicationControllerCondition = described({
  lastTransitionTime: time,
  message: string,
  reason: string,
  status: string,
  type: string,
});

/** `v1.ReplicationControllerStatus`. */
const replicationControllerStatus = object<NonNullable<ReplicationController['status']>>(
  {
    availableReplicas: int32,
    fullyLabeledReplicas: int32,
    observedGeneration: int64,
    readyReplicas: int32,
    replicas: int32,
  },
  {
    conditions: list(replicationControllerCondition),
  },
);

/** `v1.ReplicationController`. */
export const replicationController = object<ReplicationController>({
  apiVersion: required(string),
  kind: required(constant('ReplicationController')),
  metadata: required(objectMeta),
  spec: replicationControllerSpec,
  status: replicationControllerStatus,
});

/** `v1.StatefulSetOrdinals`. */
const statefulSetOrdinals = object<NonNullable<NonNullable<StatefulSet['spec']>['ordinals']>>({
  start: int32,
});

/** `v1.StatefulSetPersistentVolumeClaimRetentionPolicy`. */
const statefulSetPersistentVolumeClaimRetentionPolicy = described({
  whenDeleted: string,
  whenScaled: string,
});

type SetStrategy = NonNullable<NonNullable<StatefulSet['spec']>['updateStrategy']>;

/** `v1.RollingUpdateStatefulSetStrategy`. */
const rollingUpdateStatefulSetStrategy = object<NonNullable<SetStrategy['rollingUpdate']>>({
  maxUnavailable: intOrString,
  partition: int32,
});

/** `v1.StatefulSetUpdateStrategy`. */
const statefulSetUpdateStrategy = object<SetStrategy>({
  rollingUpdate: rollingUpdateStatefulSetStrategy,
  type: string,
});

/** `VolumeClaimTemplate`. */
const volumeClaimTemplate = object<VolumeClaimTemplate>(
  {
    metadata: templateMeta,
    spec: persistentVolumeClaimSpec,
  },
  {
    apiVersion: string,
    kind: string,
    status: persistentVolumeClaimStatus,
  },
);

/** `v1.StatefulSetSpec`. */
const statefulSetSpec = object<NonNullable<StatefulSet['spec']>>(
  {
    ordinals: statefulSetOrdinals,
    podManagementPolicy: string,
    replicas: int32,
    selector: labelSelector,
    serviceName: string,
    template: podTemplateSpec,
    updateStrategy: statefulSetUpdateStrategy,
    volumeClaimTemplates: list(volumeClaimTemplate),
  },
  {
    minReadySeconds: int32,
    persistentVolumeClaimRetentionPolicy: statefulSetPersistentVolumeClaimRetentionPolicy,
    revisionHistoryLimit: int32,
  },
);

/** `v1.StatefulSetCondition`. */
const statefulSetCondition = described({
  lastTransitionTime: time,
  message: string,
  reason: string,
  status: string,
  type: string,
});

/** `v1.StatefulSetStatus`. */
const statefulSetStatus = object<NonNullable<StatefulSet['status']>>(
  {
    availableReplicas: int32,
    currentReplicas: int32,
    observedGeneration: int64,
    readyReplicas: int32,
    replicas: int32,
    updatedReplicas: int32,
  },
  {
    collisionCount: int32,
    conditions: list(statefulSetCondition),
    currentRevision: string,
    updateRevision: string,
  },
);

/** `v1.StatefulSet`. */
export const statefulSet = object<StatefulSet>({
  apiVersion: required(string),
  kind: required(constant('StatefulSet')),
  metadata: required(objectMeta),
  spec: statefulSetSpec,
  status: statefulSetStatus,
});

/** `v1.RollingUpdateDaemonSet`. */
const rollingUpdateDaemonSet = object<RollingUpdate>({
  maxSurge: intOrString,
  maxUnavailable: intOrString,
});

/** `v1.DaemonSetUpdateStrategy`. */
const daemonSetUpdateStrategy = object<NonNullable<NonNullable<DaemonSet['spec']>['updateStrategy']>>({
  rollingUpdate: rollingUpdateDaemonSet,
  type: string,
});

/** `v1.DaemonSetSpec`. */
const daemonSetSpec = object<NonNullable<DaemonSet['spec']>>(
  {
    selector: labelSelector,
    template: podTemplateSpec,
    updateStrategy: daemonSetUpdateStrategy,
  },
  {
    minReadySeconds: int32,
    revisionHistoryLimit: int32,
    templateGeneration: former,
  },
);

/** `v1.DaemonSetCondition`. */
const daemonSetCondition = described({
  lastTransitionTime: time,
  message: string,
  reason: string,
  status: string,
  type: string,
});

/** `v1.DaemonSetStatus`. */
const daemonSetStatus = object<NonNullable<DaemonSet['status']>>(
  {
    currentNumberScheduled: int32,
    desiredNumberScheduled: int32,
    numberAvailable: int32,
    numberMisscheduled: int32,
    numberReady: int32,
    numberUnavailable: int32,
    observedGeneration: int64,
    updatedNumberScheduled: int32,
  },
  {
    collisionCount: int32,
    conditions: list(daemonSetCondition),
  },
);

/** `v1.DaemonSet`. */
export const daemonSet = object<DaemonSet>({
  apiVersion: required(string),
  kind: required(constant('DaemonSet')),
  metadata: required(objectMeta),
  spec: daemonSetSpec,
  status: daemonSetStatus,
});

type FailureRule = NonNullable<PodFailurePolicy['rules']>[number];

/** `v1.PodFailurePolicyOnExitCodesRequirement`. */
const podFailurePolicyOnExitCodesRequirement = object<NonNullable<FailureRule['onExitCodes']>>({
  containerName: string,
  operator: string,
  values: list(int32),
});

/** `v1.PodFailurePolicyOnPodConditionsPattern`. */
const podFailurePolicyOnPodConditionsPattern = object<NonNullable<FailureRule['onPodConditions']>[number]>({
  status: string,
  type: string,
});

/** `v1.PodFailurePolicyRule`. */
const podFailurePolicyRule = object<FailureRule>({
  action: string,
  onExitCodes: podFailurePolicyOnExitCodesRequirement,
  onPodConditions: list(podFailurePolicyOnPodConditionsPattern),
});

/** `v1.PodFailurePolicy`. */
const podFailurePolicy = object<PodFailurePolicy>({
  rules: list(podFailurePolicyRule),
});

/** `v1.SuccessPolicyRule`. */
const successPolicyRule = object<NonNullable<SuccessPolicy['rules']>[number]>({
  succeededCount: int32,
  succeededIndexes: string,
});

/** `v1.SuccessPolicy`. */
const successPolicy = object<SuccessPolicy>({
  rules: list(successPolicyRule),
});

/** `v1.JobSpec`. */
const jobSpec = object<JobSpec>(
  {
    backoffLimit: int32,
    backoffLimitPerIndex: int32,
    completionMode: string,
    completions: int32,
    managedBy: string,
    parallelism: int32,
    podFailurePolicy,
    podReplacementPolicy: string,
    selector: labelSelector,
    successPolicy,
    suspend: boolean,
    template: podTemplateSpec,
  },
  {
    activeDeadlineSeconds: int64,
    manualSelector: boolean,
    maxFailedIndexes: int32,
    ttlSecondsAfterFinished: int32,
  },
);

/** `v1.JobCondition`. */
const jobCondition = described({
  lastProbeTime: time,
  lastTransitionTime: time,
  message: string,
  reason: string,
  status: string,
  type: string,
});

/** `v1.UncountedTerminatedPods`. */
const uncountedTerminatedPods = described({
  failed: list(string),
  succeeded: list(string),
});

/** `v1.JobStatus`. */
const jobStatus = object<NonNullable<Job['status']>>(
  {
    active: int32,
    completionTime: time,
    failed: int32,
    ready: int32,
    startTime: time,
    succeeded: int32,
    terminating: int32,
  },
  {
    completedIndexes: string,
    conditions: list(jobCondition),
    failedIndexes: string,
    uncountedTerminatedPods,
  },
);

/** `v1.Job`. */
export const job = object<Job>({
  apiVersion: required(string),
  kind: required(constant('Job')),
  metadata: required(objectMeta),
  spec: jobSpec,
  status: jobStatus,
});

/** `v1.JobTemplateSpec`. */
const jobTemplateSpec = object<NonNullable<NonNullable<CronJob['spec']>['jobTemplate']>>({
  metadata: templateMeta,
  spec: jobSpec,
});

/** `v1.CronJobSpec`. */
const cronJobSpec = object<NonNullable<CronJob['spec']>>(
  {
    jobTemplate: jobTemplateSpec,
    schedule: string,
    suspend: boolean,
    timeZone: string,
  },
  {
    concurrencyPolicy: string,
    failedJobsHistoryLimit: int32,
    startingDeadlineSeconds: int64,
    successfulJobsHistoryLimit: int32,
  },
);

/** `v1.CronJobStatus`. */
const cronJobStatus = object<NonNullable<CronJob['status']>>(
  {
    lastScheduleTime: time,
    lastSuccessfulTime: time,
  },
  {
    active: list(objectReference),
  },
);

/** `v1.CronJob`. */
export const cronJob = object<CronJob>({
  apiVersion: required(string),
  kind: required(constant('CronJob')),
  metadata: required(objectMeta),
  spec: cronJobSpec,
  status: cronJobStatus,
});
