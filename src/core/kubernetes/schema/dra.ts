import type {
  AllocatedDeviceStatus,
  Allocation,
  Counter,
  Device,
  DeviceAllocationResult,
  DeviceAttribute,
  DeviceCapacity,
  DeviceClass,
  DeviceRequest,
  DeviceSelector,
  DeviceTaint,
  DeviceTaintRule,
  DeviceToleration,
  ExactDeviceRequest,
  NodeAllocatableResourceMapping,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplate,
  ResourceSlice,
} from '../objects/dra.js';
import { defaulted, described, list, map, object } from './containers.js';
import { nodeSelector, objectMeta, templateMeta } from './metadata.js';
import { anything, before, boolean, constant, int64, quantity, since, string, time } from './scalars.js';
import { required } from './schema.js';

/** `v1.DeviceAttribute`. */
const deviceAttribute = object<DeviceAttribute>({
  bool: boolean,
  bools: since(36, list(boolean)),
  int: int64,
  ints: since(36, list(int64)),
  string,
  strings: since(36, list(string)),
  version: string,
  versions: since(36, list(string)),
});

/** `v1.CapacityRequestPolicyRange`. */
const capacityRequestPolicyRange = object<NonNullable<NonNullable<DeviceCapacity['requestPolicy']>['validRange']>>({
  max: quantity,
  min: quantity,
  step: quantity,
});

/** `v1.CapacityRequestPolicy`. */
const capacityRequestPolicy = object<NonNullable<DeviceCapacity['requestPolicy']>>({
  default: quantity,
  validRange: capacityRequestPolicyRange,
  validValues: list(quantity),
});

/** `v1.DeviceCapacity`. */
const deviceCapacity = object<DeviceCapacity>({
  requestPolicy: since(34, capacityRequestPolicy),
  value: required(quantity),
});

/** `v1.Counter`. */
const counter = object<Counter>({
  value: required(quantity),
});

/** `v1.DeviceCounterConsumption`. */
const deviceCounterConsumption = object<NonNullable<Device['consumesCounters']>[number]>({
  counterSet: required(string),
  counters: map(counter),
});

/** `v1.NodeAllocatableResourceMapping`. */
const nodeAllocatableResourceMapping = object<NodeAllocatableResourceMapping>({
  allocationMultiplier: quantity,
  capacityKey: string,
});

/** `v1.DeviceTaint`. */
const deviceTaint = object<DeviceTaint>({
  effect: required(string),
  key: required(string),
  timeAdded: time,
  value: string,
});

const DEVICE = {
  allNodes: since(33, boolean),
  allowMultipleAllocations: since(34, boolean),
  attributes: map(deviceAttribute),
  bindingConditions: since(34, list(string)),
  bindingFailureConditions: since(34, list(string)),
  bindsToNode: since(34, boolean),
  capacity: map(deviceCapacity),
  consumesCounters: since(33, list(deviceCounterConsumption)),
  nodeAllocatableResourceMappings: since(36, map(nodeAllocatableResourceMapping)),
  nodeName: since(33, string),
  nodeSelector: since(33, nodeSelector),
  taints: since(33, list(deviceTaint)),
};

/** `v1.Device`. */
const device = object<Omit<Device, 'unread'>>({
  ...DEVICE,
  name: required(string),
});

/** `v1.ResourcePool`. */
const resourcePool = object<NonNullable<NonNullable<ResourceSlice['spec']>['pool']>>({
  generation: required(int64),
  name: required(string),
  resourceSliceCount: required(int64),
});

/** `v1.CounterSet`. */
const counterSet = object<NonNullable<NonNullable<ResourceSlice['spec']>['sharedCounters']>[number]>({
  counters: map(counter),
  name: required(string),
});

const SLICE_SPEC = {
  allNodes: boolean,
  nodeName: string,
  nodeSelector,
  perDeviceNodeSelection: since(33, boolean),
  pool: resourcePool,
  sharedCounters: since(33, list(counterSet)),
};

/** `v1.ResourceSliceSpec`. */
const resourceSliceSpec = object<NonNullable<ResourceSlice['spec']>>({
  ...SLICE_SPEC,
  devices: list(device),
  driver: required(string),
});

/** `v1.ResourceSlice`. */
export const resourceSlice = object<ResourceSlice>({
  apiVersion: required(string),
  kind: required(constant('ResourceSlice')),
  metadata: required(objectMeta),
  spec: resourceSliceSpec,
});

/** `v1beta1.ResourceSlice`, whose devices have their fields in `basic`. */
export const sliceOfBasicDevices = described({
  apiVersion: string,
  kind: string,
  metadata: objectMeta,
  spec: described({
    ...SLICE_SPEC,
    devices: list(described({ basic: described(DEVICE), name: string })),
    driver: string,
  }),
});

/** `v1.OpaqueDeviceConfiguration`. */
const opaqueDeviceConfiguration = described({
  driver: string,
  parameters: anything,
});

/** `v1.DeviceClaimConfiguration`. */
const deviceClaimConfiguration = described({
  opaque: opaqueDeviceConfiguration,
  requests: list(string),
});

/** `v1.DeviceConstraint`. */
const deviceConstraint = object<NonNullable<NonNullable<ResourceClaimSpec['devices']>['constraints']>[number]>({
  distinctAttribute: since(34, string),
  matchAttribute: string,
  requests: list(string),
});

/** `v1.CapacityRequirements`. */
const capacityRequirements = object<NonNullable<ExactDeviceRequest['capacity']>>({
  requests: map(quantity),
});

/** `v1.CELDeviceSelector`. */
const celDeviceSelector = object<NonNullable<DeviceSelector['cel']>>({
  expression: required(string),
});

/** `v1.DeviceSelector`. */
const deviceSelector = object<DeviceSelector>({
  cel: celDeviceSelector,
});

/** `v1.DeviceToleration`. */
const deviceToleration = object<DeviceToleration>({
  effect: string,
  key: string,
  operator: string,
  tolerationSeconds: int64,
  value: string,
});

/**
 * A request with the defaults of the API server: one device (`SetDefaults_ExactDeviceRequest` and `SetDefaults_DeviceSubRequest`,
 * k8s.io/kubernetes v1.36.2, pkg/apis/resource/v1/defaults.go).
 */
function withCount<Request extends Pick<ExactDeviceRequest, 'allocationMode' | 'count'>>(request: Request): Request {
  const { allocationMode = '', count = 0 } = request;
  if (allocationMode !== '' && allocationMode !== 'ExactCount') return request;
  return { ...request, allocationMode: 'ExactCount', count: Number(count) === 0 ? 1 : count };
}

const EXACT_REQUEST = {
  adminAccess: boolean,
  allocationMode: string,
  capacity: since(34, capacityRequirements),
  count: int64,
  selectors: list(deviceSelector),
  tolerations: since(33, list(deviceToleration)),
};

/** `v1.ExactDeviceRequest`. */
const exactDeviceRequest = defaulted(
  object<ExactDeviceRequest>({ ...EXACT_REQUEST, deviceClassName: required(string) }),
  withCount,
  'deviceClassName',
);

/** `v1.DeviceSubRequest`. */
const deviceSubRequest = defaulted(
  object<Omit<ExactDeviceRequest, 'adminAccess'> & { readonly name: string }>({
    allocationMode: string,
    capacity: since(34, capacityRequirements),
    count: int64,
    deviceClassName: required(string),
    name: required(string),
    selectors: list(deviceSelector),
    tolerations: list(deviceToleration),
  }),
  withCount,
  'deviceClassName',
);

/** `v1.DeviceRequest`. */
const deviceRequest = object<DeviceRequest>({
  exactly: exactDeviceRequest,
  firstAvailable: since(33, list(deviceSubRequest)),
  name: required(string),
});

/** `v1beta1.DeviceRequest`, which has the fields of an exact request beside its name. */
const flatDeviceRequest = described({
  ...EXACT_REQUEST,
  deviceClassName: string,
  firstAvailable: since(33, list(deviceSubRequest)),
  name: string,
});

/** `v1.DeviceClaim`. */
const deviceClaim = object<NonNullable<ResourceClaimSpec['devices']>>(
  {
    constraints: list(deviceConstraint),
    requests: list(deviceRequest),
  },
  {
    config: list(deviceClaimConfiguration),
  },
);

/** `v1beta1.ResourceClaimSpec`. */
const flatClaimSpec = described({
  devices: described({
    config: list(deviceClaimConfiguration),
    constraints: list(deviceConstraint),
    requests: list(flatDeviceRequest),
  }),
});

/** `v1.ResourceClaimSpec`. */
const resourceClaimSpec = object<ResourceClaimSpec>({
  devices: deviceClaim,
});

/** `v1.DeviceAllocationConfiguration`. */
const deviceAllocationConfiguration = described({
  opaque: opaqueDeviceConfiguration,
  requests: list(string),
  source: string,
});

/** `v1.DeviceRequestAllocationResult`. */
const deviceRequestAllocationResult = object<DeviceAllocationResult>({
  adminAccess: since(32, boolean),
  bindingConditions: since(34, list(string)),
  bindingFailureConditions: since(34, list(string)),
  consumedCapacity: since(34, map(quantity)),
  device: required(string),
  driver: required(string),
  pool: required(string),
  request: required(string),
  shareID: since(34, string),
  tolerations: since(33, list(deviceToleration)),
});

/** `v1.DeviceAllocationResult`. */
const deviceAllocation = object<NonNullable<Allocation['devices']>>(
  {
    results: list(deviceRequestAllocationResult),
  },
  {
    config: list(deviceAllocationConfiguration),
  },
);

/** `v1.AllocationResult`. */
const allocationResult = object<Allocation>({
  allocationTimestamp: since(34, time),
  devices: deviceAllocation,
  nodeSelector,
});

/** `v1.NetworkDeviceData`. */
const networkDeviceData = described({
  hardwareAddress: string,
  interfaceName: string,
  ips: list(string),
});

/** `v1.Condition`. */
const deviceCondition = object<NonNullable<AllocatedDeviceStatus['conditions']>[number]>(
  {
    status: required(string),
    type: required(string),
  },
  {
    lastTransitionTime: time,
    message: string,
    observedGeneration: int64,
    reason: string,
  },
);

/** `v1.AllocatedDeviceStatus`. */
const allocatedDeviceStatus = object<AllocatedDeviceStatus>(
  {
    conditions: list(deviceCondition),
    device: required(string),
    driver: required(string),
    pool: required(string),
  },
  {
    data: anything,
    networkData: networkDeviceData,
    shareID: since(34, string),
  },
);

/** `v1.ResourceClaimConsumerReference`. */
const resourceClaimConsumerReference = object<NonNullable<NonNullable<ResourceClaim['status']>['reservedFor']>[number]>(
  {
    apiGroup: string,
    name: required(string),
    resource: required(string),
    uid: required(string),
  },
);

/** `v1.ResourceClaimStatus`. */
const resourceClaimStatus = object<NonNullable<ResourceClaim['status']>>({
  allocation: allocationResult,
  devices: since(32, list(allocatedDeviceStatus)),
  reservedFor: list(resourceClaimConsumerReference),
});

/** `v1.ResourceClaim`. */
export const resourceClaim = object<ResourceClaim>({
  apiVersion: required(string),
  kind: required(constant('ResourceClaim')),
  metadata: required(objectMeta),
  spec: resourceClaimSpec,
  status: resourceClaimStatus,
});

/** `v1.ResourceClaimTemplateSpec`. */
const resourceClaimTemplateSpec = object<NonNullable<ResourceClaimTemplate['spec']>>({
  metadata: templateMeta,
  spec: resourceClaimSpec,
});

/** `v1.ResourceClaimTemplate`. */
export const resourceClaimTemplate = object<ResourceClaimTemplate>({
  apiVersion: required(string),
  kind: required(constant('ResourceClaimTemplate')),
  metadata: required(objectMeta),
  spec: resourceClaimTemplateSpec,
});

/** `v1beta1.ResourceClaim`. */
export const flatResourceClaim = described({
  apiVersion: string,
  kind: string,
  metadata: objectMeta,
  spec: flatClaimSpec,
  status: resourceClaimStatus,
});

/** `v1beta1.ResourceClaimTemplate`. */
export const flatResourceClaimTemplate = described({
  apiVersion: string,
  kind: string,
  metadata: objectMeta,
  spec: described({ metadata: templateMeta, spec: flatClaimSpec }),
});

/** `v1.DeviceClassConfiguration`. */
const deviceClassConfiguration = described({
  opaque: opaqueDeviceConfiguration,
});

/** `v1.DeviceClassSpec`. */
const deviceClassSpec = object<NonNullable<DeviceClass['spec']>>(
  {
    extendedResourceName: since(34, string),
    selectors: list(deviceSelector),
  },
  {
    config: list(deviceClassConfiguration),
  },
);

/** `v1.DeviceClass`. */
export const deviceClass = object<DeviceClass>({
  apiVersion: required(string),
  kind: required(constant('DeviceClass')),
  metadata: required(objectMeta),
  spec: deviceClassSpec,
});

/** `v1beta2.DeviceTaintSelector`. */
const deviceTaintSelector = object<NonNullable<NonNullable<DeviceTaintRule['spec']>['deviceSelector']>>({
  device: string,
  deviceClassName: before(35, string),
  driver: string,
  pool: string,
  selectors: before(35, list(deviceSelector)),
});

/** `v1beta2.DeviceTaintRuleSpec`. */
const deviceTaintRuleSpec = object<NonNullable<DeviceTaintRule['spec']>>({
  deviceSelector: deviceTaintSelector,
  taint: required(deviceTaint),
});

/** `v1beta2.DeviceTaintRuleStatus`. */
const deviceTaintRuleStatus = described({
  conditions: list(anything),
});

/** `v1beta2.DeviceTaintRule`. */
export const deviceTaintRule = object<DeviceTaintRule>(
  {
    apiVersion: required(string),
    kind: required(constant('DeviceTaintRule')),
    metadata: required(objectMeta),
    spec: deviceTaintRuleSpec,
  },
  {
    status: since(35, deviceTaintRuleStatus),
  },
);
