import type { KubernetesObject, ResourceList, WithTaintOwnership } from './meta.js';
import type { Condition } from './pod.js';
import type { Taint } from './taints.js';

export interface NodeSpec {
  readonly unschedulable?: boolean;
  readonly taints?: readonly Taint[];
  readonly providerID?: string;
  readonly podCIDR?: string;
}

export interface ContainerImage {
  readonly names?: readonly string[];
  readonly sizeBytes?: number | bigint;
}

export interface NodeStatus {
  readonly capacity?: ResourceList;
  readonly allocatable?: ResourceList;
  readonly conditions?: readonly Condition[];
  readonly images?: readonly ContainerImage[];
  readonly declaredFeatures?: readonly string[];
  readonly nodeInfo?: {
    readonly kubeletVersion?: string;
    readonly containerRuntimeVersion?: string;
    readonly operatingSystem?: string;
    readonly architecture?: string;
  };
  readonly volumesAttached?: readonly { readonly name: string; readonly devicePath?: string }[];
}

/** A node's metadata, with the managed-fields entries that own its taints, cordon or labels. */
export type NodeMeta = WithTaintOwnership;

export interface Node extends KubernetesObject {
  readonly kind: 'Node';
  readonly metadata: NodeMeta;
  readonly spec?: NodeSpec;
  readonly status?: NodeStatus;
  /** Not of the API: why it is not known which devices the node has besides those of its ResourceSlices. */
  readonly unknownDevices?: string;
}
