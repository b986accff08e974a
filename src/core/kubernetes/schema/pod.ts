import type { Condition, ContainerStatus, Pod, PodStatus } from '../objects/pod.js';
import { described, list, map, object, refined } from './containers.js';
import { objectMeta, resourceRequirements } from './metadata.js';
import { podSpec } from './pod-spec.js';
import { boolean, constant, int32, int64, quantity, since, string, time } from './scalars.js';
import { required } from './schema.js';

/** `v1.PodCondition`. */
const podCondition = object<Omit<Condition, 'lastHeartbeatTime'>>(
  {
    lastTransitionTime: time,
    message: string,
    reason: string,
    status: required(string),
    type: required(string),
  },
  {
    lastProbeTime: time,
    observedGeneration: since(33, int64),
  },
);

/** `v1.ResourceHealth`. */
const resourceHealth = described({
  health: string,
  message: since(36, string),
  resourceID: string,
});

/** `v1.ResourceStatus`. */
const resourceStatus = described({
  name: string,
  resources: list(resourceHealth),
});

/** `v1.ContainerStateRunning`. */
const containerStateRunning = described({
  startedAt: time,
});

/** `v1.ContainerStateTerminated`. */
const containerStateTerminated = described({
  containerID: string,
  exitCode: int32,
  finishedAt: time,
  message: string,
  reason: string,
  signal: int32,
  startedAt: time,
});

/** `v1.ContainerStateWaiting`. */
const containerStateWaiting = described({
  message: string,
  reason: string,
});

/** `v1.ContainerState`. */
const containerState = described({
  running: containerStateRunning,
  terminated: containerStateTerminated,
  waiting: containerStateWaiting,
});

/** `v1.LinuxContainerUser`. */
const linuxContainerUser = described({
  gid: int64,
  supplementalGroups: list(int64),
  uid: int64,
});

/** `v1.ContainerUser`. */
const containerUser = described({
  linux: linuxContainerUser,
});

/** `v1.ImageVolumeStatus`. */
const imageVolumeStatus = described({
  imageRef: string,
});

/** `v1.VolumeStatus`. */
const volumeStatus = described({
  image: imageVolumeStatus,
});

/** `v1.VolumeMountStatus`. */
const volumeMountStatus = described({
  mountPath: string,
  name: string,
  readOnly: boolean,
  recursiveReadOnly: string,
  volumeStatus: since(36, volumeStatus),
});

/** `v1.ContainerStatus`. */
const containerStatus = object<ContainerStatus>(
  {
    allocatedResources: map(quantity),
    name: required(string),
    resources: resourceRequirements,
  },
  {
    allocatedResourcesStatus: list(resourceStatus),
    containerID: string,
    image: string,
    imageID: string,
    lastState: containerState,
    ready: boolean,
    restartCount: int32,
    started: boolean,
    state: containerState,
    stopSignal: since(33, string),
    user: containerUser,
    volumeMounts: list(volumeMountStatus),
  },
);

/** `v1.ContainerExtendedResourceRequest`. */
const containerExtendedResourceRequest = object<
  NonNullable<PodStatus['extendedResourceClaimStatus']>['requestMappings'][number]
>({
  containerName: required(string),
  requestName: required(string),
  resourceName: required(string),
});

/** `v1.PodExtendedResourceClaimStatus`. */
const podExtendedResourceClaimStatus = object<NonNullable<PodStatus['extendedResourceClaimStatus']>>({
  requestMappings: required(list(containerExtendedResourceRequest)),
  resourceClaimName: required(string),
});

/** `v1.HostIP`. */
const hostIP = described({
  ip: string,
});

/** `v1.NodeAllocatableResourceClaimStatus`. */
const nodeAllocatableResourceClaimStatus = described({
  containers: list(string),
  resourceClaimName: string,
  resources: map(quantity),
});

/** `v1.PodIP`. */
const podIP = described({
  ip: string,
});

/** `v1.PodResourceClaimStatus`. */
const podResourceClaimStatus = object<NonNullable<PodStatus['resourceClaimStatuses']>[number]>({
  name: required(string),
  resourceClaimName: string,
});

/** `v1.PodStatus`. */
const podStatus = object<PodStatus>(
  {
    allocatedResources: since(35, map(quantity)),
    conditions: list(refined(podCondition, withoutForeignMessage, 'message')),
    containerStatuses: list(containerStatus),
    extendedResourceClaimStatus: since(34, podExtendedResourceClaimStatus),
    initContainerStatuses: list(containerStatus),
    nominatedNodeName: string,
    phase: string,
    qosClass: string,
    reason: string,
    resize: string,
    resourceClaimStatuses: list(podResourceClaimStatus),
    resources: since(35, resourceRequirements),
    startTime: time,
  },
  {
    ephemeralContainerStatuses: list(containerStatus),
    hostIP: string,
    hostIPs: list(hostIP),
    message: string,
    nodeAllocatableResourceClaimStatuses: since(36, list(nodeAllocatableResourceClaimStatus)),
    observedGeneration: since(33, int64),
    podIP: string,
    podIPs: list(podIP),
  },
);

/** `v1.Pod`. */
export const pod = object<Pod>({
  apiVersion: required(string),
  kind: required(constant('Pod')),
  metadata: required(objectMeta),
  spec: required(podSpec),
  status: podStatus,
});

const OWN_WORDS = new Set(['PodScheduled', 'DisruptionTarget']);

/**
 * Keeps a condition's message only if it comes from the scheduler or explains a disruption; other messages may quote
 * anything.
 */
function withoutForeignMessage<T extends { readonly type: string; readonly message?: string }>(condition: T): T {
  if (condition.message === undefined || OWN_WORDS.has(condition.type)) return condition;
  const own: { message?: string } & Omit<T, 'message'> = { ...condition };
  delete own.message;
  return own as T;
}
