import type { Int64, KubernetesObject, ObjectMeta, QuantityString, Timestamp, WithTaintOwnership } from './meta.js';
import type { NodeSelector } from './selectors.js';

/** `resource.k8s.io/v1` DeviceAttribute: exactly one is set. */
export interface DeviceAttribute {
  readonly int?: Int64;
  readonly bool?: boolean;
  readonly string?: string;
  readonly version?: string;
  readonly ints?: readonly Int64[];
  readonly bools?: readonly boolean[];
  readonly strings?: readonly string[];
  readonly versions?: readonly string[];
}

/** `resource.k8s.io/v1` DeviceCapacity. */
export interface DeviceCapacity {
  readonly value: QuantityString;
  readonly requestPolicy?: {
    readonly default?: QuantityString;
    readonly validValues?: readonly QuantityString[];
    readonly validRange?: {
      readonly min?: QuantityString;
      readonly max?: QuantityString;
      readonly step?: QuantityString;
    };
  };
}

/** A named amount of a counter set. */
export interface Counter {
  readonly value: QuantityString;
}

/** `resource.k8s.io/v1` DeviceTaint; effects None, NoSchedule, NoExecute. */
export interface DeviceTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: Timestamp;
}

/** `resource.k8s.io/v1` DeviceToleration. */
export interface DeviceToleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: Int64;
}

/**
 * `resource.k8s.io/v1` NodeAllocatableResourceMapping: the amount of a node's own resource that a device represents.
 */
export interface NodeAllocatableResourceMapping {
  readonly capacityKey?: string;
  readonly allocationMultiplier?: QuantityString;
}

/** `resource.k8s.io/v1` Device; the members of `basic` in `v1beta1` are moved up. */
export interface Device {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>;
  readonly capacity?: Readonly<Record<string, DeviceCapacity>>;
  readonly consumesCounters?: readonly {
    readonly counterSet: string;
    readonly counters?: Readonly<Record<string, Counter>>;
  }[];
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelector;
  readonly allNodes?: boolean;
  readonly taints?: readonly DeviceTaint[];
  readonly bindsToNode?: boolean;
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly allowMultipleAllocations?: boolean;
  readonly nodeAllocatableResourceMappings?: Readonly<Record<string, NodeAllocatableResourceMapping>>;
  /** Not of the API: fields that the device has and that are not read, because their feature gates are off. */
  readonly unread?: ReadonlySet<'consumesCounters' | 'allowMultipleAllocations' | 'bindingConditions'>;
}

/** `resource.k8s.io/v1` ResourceSlice. */
export interface ResourceSlice extends KubernetesObject {
  readonly kind: 'ResourceSlice';
  readonly spec?: {
    readonly driver: string;
    readonly pool?: { readonly name: string; readonly generation: Int64; readonly resourceSliceCount: Int64 };
    readonly nodeName?: string;
    readonly nodeSelector?: NodeSelector;
    readonly allNodes?: boolean;
    readonly perDeviceNodeSelection?: boolean;
    readonly devices?: readonly Device[];
    readonly sharedCounters?: readonly {
      readonly name: string;
      readonly counters?: Readonly<Record<string, Counter>>;
    }[];
  };
}

/** `resource.k8s.io/v1` DeviceSelector. */
export interface DeviceSelector {
  readonly cel?: { readonly expression: string };
}

/** `resource.k8s.io/v1` ExactDeviceRequest, and DeviceSubRequest without its name. */
export interface ExactDeviceRequest {
  readonly deviceClassName: string;
  readonly selectors?: readonly DeviceSelector[];
  readonly allocationMode?: string;
  readonly count?: Int64;
  readonly adminAccess?: boolean;
  readonly tolerations?: readonly DeviceToleration[];
  readonly capacity?: { readonly requests?: Readonly<Record<string, QuantityString>> };
}

/** `resource.k8s.io/v1` DeviceRequest; the flat form of `v1beta1` is read as `exactly`. */
export interface DeviceRequest {
  readonly name: string;
  readonly exactly?: ExactDeviceRequest;
  readonly firstAvailable?: readonly (ExactDeviceRequest & { readonly name: string })[];
}

/** `resource.k8s.io/v1` ResourceClaimSpec. Opaque driver configuration is dropped. */
export interface ResourceClaimSpec {
  readonly devices?: {
    readonly requests?: readonly DeviceRequest[];
    readonly constraints?: readonly {
      readonly requests?: readonly string[];
      readonly matchAttribute?: string;
      readonly distinctAttribute?: string;
    }[];
  };
}

/** `resource.k8s.io/v1` DeviceRequestAllocationResult. */
export interface DeviceAllocationResult {
  readonly request: string;
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly adminAccess?: boolean;
  readonly tolerations?: readonly DeviceToleration[];
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly shareID?: string;
  readonly consumedCapacity?: Readonly<Record<string, QuantityString>>;
}

/** `resource.k8s.io/v1` AllocationResult. */
export interface Allocation {
  readonly devices?: { readonly results?: readonly DeviceAllocationResult[] };
  readonly nodeSelector?: NodeSelector;
  readonly allocationTimestamp?: Timestamp;
}

/** `resource.k8s.io/v1` AllocatedDeviceStatus. */
export interface AllocatedDeviceStatus {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

/** `resource.k8s.io/v1` ResourceClaim. */
export interface ResourceClaim extends KubernetesObject {
  readonly kind: 'ResourceClaim';
  readonly spec?: ResourceClaimSpec;
  readonly status?: {
    readonly allocation?: Allocation;
    /** How far drivers have prepared the devices. */
    readonly devices?: readonly AllocatedDeviceStatus[];
    readonly reservedFor?: readonly {
      readonly apiGroup?: string;
      readonly resource: string;
      readonly name: string;
      readonly uid: string;
    }[];
  };
}

/** `resource.k8s.io/v1` ResourceClaimTemplate. */
export interface ResourceClaimTemplate extends KubernetesObject {
  readonly kind: 'ResourceClaimTemplate';
  readonly spec?: { readonly metadata?: Partial<ObjectMeta>; readonly spec?: ResourceClaimSpec };
}

/** `resource.k8s.io/v1` DeviceClass. */
export interface DeviceClass extends KubernetesObject {
  readonly kind: 'DeviceClass';
  readonly spec?: {
    readonly selectors?: readonly DeviceSelector[];
    readonly extendedResourceName?: string;
  };
}

/**
 * `resource.k8s.io/v1beta2` DeviceTaintRule: a taint for all devices that match. What is absent of the selector matches everything; a rule
 * without a selector taints every device for the scheduler, and evicts nobody.
 */
export interface DeviceTaintRule extends KubernetesObject {
  readonly kind: 'DeviceTaintRule';
  readonly metadata: WithTaintOwnership;
  readonly spec?: {
    readonly deviceSelector?: {
      readonly driver?: string;
      readonly pool?: string;
      readonly device?: string;
      /** Until 1.34. */
      readonly deviceClassName?: string;
      /** Until 1.34. */
      readonly selectors?: readonly DeviceSelector[];
    };
    readonly taint: DeviceTaint;
  };
}
