import type { KeptKind } from '../kinds.js';
import type { KubernetesObject } from '../objects/meta.js';
import {
  mutatingAdmissionPolicy,
  mutatingAdmissionPolicyBinding,
  validatingAdmissionPolicy,
  validatingAdmissionPolicyBinding,
} from './admission-policies.js';
import { configMap } from './config-map.js';
import { deviceClass, deviceTaintRule, resourceClaim, resourceClaimTemplate, resourceSlice } from './dra.js';
import { nodeClaim, nodePool } from './karpenter.js';
import { lease } from './lease.js';
import { machineDeployment, machinePool, machineSet, openShiftMachineSet } from './machines.js';
import { namespace } from './namespace.js';
import { node } from './node.js';
import { nodeReadinessRule } from './node-readiness.js';
import { persistentVolume, persistentVolumeClaim } from './persistent-volume.js';
import { pod } from './pod.js';
import { coschedulingPodGroup, podGroup } from './pod-group.js';
import { podDisruptionBudget } from './policy.js';
import { limitRange, resourceQuota } from './quota.js';
import { priorityClass, runtimeClass } from './scheduling.js';
import type { Schema } from './schema.js';
import { serviceAccount } from './service-account.js';
import { service } from './service.js';
import { csiDriver, csiNode, csiStorageCapacity, storageClass, volumeAttachment } from './storage.js';
import { mutatingWebhookConfiguration, validatingWebhookConfiguration } from './webhooks.js';
import { cronJob, daemonSet, deployment, job, replicaSet, replicationController, statefulSet } from './workloads.js';

/** The schema of each kept kind, in its newest API version. */
export const KIND_SCHEMAS: { readonly [K in KeptKind]: Schema<KubernetesObject & { readonly kind: K }> } = {
  Node: node,
  Pod: pod,
  Namespace: namespace,
  RuntimeClass: runtimeClass,
  PriorityClass: priorityClass,
  ResourceQuota: resourceQuota,
  LimitRange: limitRange,
  ServiceAccount: serviceAccount,
  PodDisruptionBudget: podDisruptionBudget,
  Deployment: deployment,
  ReplicaSet: replicaSet,
  StatefulSet: statefulSet,
  DaemonSet: daemonSet,
  Job: job,
  CronJob: cronJob,
  ReplicationController: replicationController,
  PersistentVolume: persistentVolume,
  PersistentVolumeClaim: persistentVolumeClaim,
  StorageClass: storageClass,
  CSINode: csiNode,
  CSIDriver: csiDriver,
  CSIStorageCapacity: csiStorageCapacity,
  VolumeAttachment: volumeAttachment,
  ResourceSlice: resourceSlice,
  ResourceClaim: resourceClaim,
  ResourceClaimTemplate: resourceClaimTemplate,
  DeviceClass: deviceClass,
  DeviceTaintRule: deviceTaintRule,
  Lease: lease,
  Service: service,
  MutatingWebhookConfiguration: mutatingWebhookConfiguration,
  ValidatingWebhookConfiguration: validatingWebhookConfiguration,
  ValidatingAdmissionPolicy: validatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding: validatingAdmissionPolicyBinding,
  MutatingAdmissionPolicy: mutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding: mutatingAdmissionPolicyBinding,
  ConfigMap: configMap,
  NodeReadinessRule: nodeReadinessRule,
  NodePool: nodePool,
  NodeClaim: nodeClaim,
  MachineDeployment: machineDeployment,
  MachineSet: machineSet,
  MachinePool: machinePool,
  OpenShiftMachineSet: openShiftMachineSet,
  PodGroup: podGroup,
  CoschedulingPodGroup: coschedulingPodGroup,
};
