import type { ContainerImage, Node, NodeSpec, NodeStatus } from '../objects/node.js';
import type { Condition } from '../objects/pod.js';
import { described, list, map, object } from './containers.js';
import { objectMeta, taint } from './metadata.js';
import { boolean, constant, int32, int64, quantity, since, string, time } from './scalars.js';
import { required } from './schema.js';

/** `v1.ConfigMapNodeConfigSource`. */
const configMapNodeConfigSource = described({
  kubeletConfigKey: string,
  name: string,
  namespace: string,
  resourceVersion: string,
  uid: string,
});

/** `v1.NodeConfigSource`. */
const nodeConfigSource = described({
  configMap: configMapNodeConfigSource,
});

/** `v1.NodeSpec`. */
const nodeSpec = object<NodeSpec>(
  {
    podCIDR: string,
    providerID: string,
    taints: list(taint),
    unschedulable: boolean,
  },
  {
    configSource: nodeConfigSource,
    externalID: string,
    podCIDRs: list(string),
  },
);

/** `v1.NodeAddress`. */
const nodeAddress = described({
  address: string,
  type: string,
});

/** `v1.NodeCondition`. */
const nodeCondition = object<Condition>({
  lastHeartbeatTime: time,
  lastTransitionTime: time,
  message: string,
  reason: string,
  status: required(string),
  type: required(string),
});

/** `v1.NodeConfigStatus`. */
const nodeConfigStatus = described({
  active: nodeConfigSource,
  assigned: nodeConfigSource,
  error: string,
  lastKnownGood: nodeConfigSource,
});

/** `v1.DaemonEndpoint`. */
const daemonEndpoint = described({
  Port: int32,
});

/** `v1.NodeDaemonEndpoints`. */
const nodeDaemonEndpoints = described({
  kubeletEndpoint: daemonEndpoint,
});

/** `v1.NodeFeatures`. */
const nodeFeatures = described({
  supplementalGroupsPolicy: boolean,
});

/** `v1.ContainerImage`. */
const containerImage = object<ContainerImage>({
  names: list(string),
  sizeBytes: int64,
});

/** `v1.NodeSwapStatus`. */
const nodeSwapStatus = described({
  capacity: int64,
});

/** `v1.NodeSystemInfo`. */
const nodeSystemInfo = object<NonNullable<NodeStatus['nodeInfo']>>(
  {
    architecture: string,
    containerRuntimeVersion: string,
    kubeletVersion: string,
    operatingSystem: string,
  },
  {
    bootID: string,
    kernelVersion: string,
    kubeProxyVersion: string,
    machineID: string,
    osImage: string,
    swap: since(33, nodeSwapStatus),
    systemUUID: string,
  },
);

/** `v1.NodeRuntimeHandlerFeatures`. */
const nodeRuntimeHandlerFeatures = described({
  recursiveReadOnlyMounts: boolean,
  userNamespaces: boolean,
});

/** `v1.NodeRuntimeHandler`. */
const nodeRuntimeHandler = described({
  features: nodeRuntimeHandlerFeatures,
  name: string,
});

/** `v1.AttachedVolume`. */
const attachedVolume = object<NonNullable<NodeStatus['volumesAttached']>[number]>({
  devicePath: string,
  name: required(string),
});

/** `v1.NodeStatus`. */
const nodeStatus = object<NodeStatus>(
  {
    allocatable: map(quantity),
    capacity: map(quantity),
    conditions: list(nodeCondition),
    declaredFeatures: since(35, list(string)),
    images: list(containerImage),
    nodeInfo: nodeSystemInfo,
    volumesAttached: list(attachedVolume),
  },
  {
    addresses: list(nodeAddress),
    config: nodeConfigStatus,
    daemonEndpoints: nodeDaemonEndpoints,
    features: nodeFeatures,
    phase: string,
    runtimeHandlers: list(nodeRuntimeHandler),
    volumesInUse: list(string),
  },
);

/** `v1.Node`. */
export const node = object<Omit<Node, 'unknownDevices'>>({
  apiVersion: required(string),
  kind: required(constant('Node')),
  metadata: required(objectMeta),
  spec: nodeSpec,
  status: nodeStatus,
});
