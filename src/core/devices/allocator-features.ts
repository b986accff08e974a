import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';

/** What the scheduler makes of claims and devices by the version of Kubernetes and its feature gates. */
export interface AllocatorFeatures {
  /** Whether a request may have admin access; otherwise the attempt ends with an error. */
  readonly adminAccess: boolean;
  /** Whether devices with binding conditions can be had, and whether those of an allocation are waited for. */
  readonly bindingConditions: boolean;
  /** What becomes of a request for capacity; `refused`: the attempt ends with an error. Capacity is consumed, or it is not looked at. */
  readonly capacity: 'consumed' | 'refused' | 'unread';
  /** Whether the error about a request for capacity names the alternative that asks for it, rather than the whole request. */
  readonly namesAlternatives: boolean;
  /** Whether constraints can ask for distinct attributes, and devices can bind claims to a node. */
  readonly distinctAttributes: boolean;
  /** What becomes of a request that is a list of alternatives; `refused`: the pod waits. */
  readonly alternatives: 'chosen' | 'refused' | 'unread';
}

/** The first minor version with several allocators, of which the one that knows all features in use serves. */
const SEVERAL_ALLOCATORS_SINCE = 34;
const ALTERNATIVES_SINCE = 33;
const ADMIN_ACCESS_GATE_SINCE = 32;

const known = new WeakMap<KubernetesRules, AllocatorFeatures>();

/**
 * The features of a version with its gates.
 *
 * Source: k8s.io/kubernetes v1.31.14 to v1.36.2, pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, `AllocatorFeatures`;
 * k8s.io/dynamic-resource-allocation v0.31.14 to v0.36.2, structured/allocator.go, `NewAllocator`, and `SupportedFeatures` of the allocators
 * in structured/internal. In 1.34 the gate DRAResourceClaimDeviceStatus, which is on by default, is enough for the newest of them.
 */
export function allocatorFeatures(rules: KubernetesRules): AllocatorFeatures {
  let features = known.get(rules);
  if (features === undefined) known.set(rules, (features = featuresOf(rules)));
  return features;
}

function featuresOf({ minor, featureGates }: KubernetesRules): AllocatorFeatures {
  const { DRADeviceBindingConditions: binding, DRAResourceClaimDeviceStatus: status } = featureGates;
  const consumes = featureGates.DRAConsumableCapacity;
  const hasSeveral = minor >= SEVERAL_ALLOCATORS_SINCE;
  const isAnyEnough = minor === SEVERAL_ALLOCATORS_SINCE;
  const isNewest = hasSeveral && (consumes || (isAnyEnough ? binding || status : binding && status));
  return {
    adminAccess: minor < ADMIN_ACCESS_GATE_SINCE || featureGates.DRAAdminAccess,
    bindingConditions: hasSeveral && binding && status,
    capacity: consumes ? 'consumed' : isNewest ? 'refused' : 'unread',
    namesAlternatives: minor > SEVERAL_ALLOCATORS_SINCE,
    distinctAttributes: isNewest,
    alternatives: minor < ALTERNATIVES_SINCE ? 'unread' : featureGates.DRAPrioritizedList ? 'chosen' : 'refused',
  };
}

/** Which fields of devices the scheduler reads. */
export interface DeviceReads {
  readonly taints: boolean;
  readonly consumesCounters: boolean;
  readonly allowMultipleAllocations: boolean;
  readonly bindingConditions: boolean;
  readonly bindsToNode: boolean;
  /** Whether a device that has counters or binding conditions cannot be had where they are not read. */
  readonly refusesUnread: boolean;
}

/**
 * Without DRADeviceTaints, no taints count, nor are there rules; without DRAPartitionableDevices, a device that consumes counters cannot be
 * allocated; without DRADeviceBindingConditions, one that has binding conditions cannot; without DRAConsumableCapacity, one that allows
 * several allocations is allocated as a whole. Until 1.33, devices with counters or binding conditions are devices like others without these
 * gates.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/features/kube_features.go, and pkg/scheduler/framework/plugins/dynamicresources/allocateddevices.go,
 * `foreachAllocatedDevice`; k8s.io/dynamic-resource-allocation v0.33.13 to v0.36.2, `isSelectable` and `allocateDevice` of the allocators.
 */
export function deviceReads(rules: KubernetesRules): DeviceReads {
  const { minor, featureGates } = rules;
  const { bindingConditions, distinctAttributes } = allocatorFeatures(rules);
  return {
    taints: featureGates.DRADeviceTaints || featureGates.DRADeviceTaintRules,
    consumesCounters: featureGates.DRAPartitionableDevices,
    allowMultipleAllocations: featureGates.DRAConsumableCapacity,
    bindingConditions,
    bindsToNode: distinctAttributes,
    refusesUnread: minor >= SEVERAL_ALLOCATORS_SINCE,
  };
}
