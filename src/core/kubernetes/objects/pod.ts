import type { Int64, KubernetesObject, ObjectMeta, QuantityString, ResourceList, Timestamp } from './meta.js';
import type { LabelSelector, NodeSelector, NodeSelectorTerm } from './selectors.js';
import type { PersistentVolumeClaimSpec } from './storage.js';
import type { Toleration } from './taints.js';

/** `v1.ResourceRequirements` (containers) and pod-level `spec.resources`. */
export interface ResourceRequirements {
  readonly requests?: ResourceList;
  readonly limits?: ResourceList;
  readonly claims?: readonly { readonly name: string; readonly request?: string }[];
}

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
  readonly hostPort?: number;
  readonly hostIP?: string;
  readonly protocol?: string;
}

/** The kept part of a container: without command, args, env and probes. */
export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly resources?: ResourceRequirements;
  readonly ports?: readonly ContainerPort[];
  readonly restartPolicy?: string;
  readonly restartPolicyRules?: readonly { readonly action: string }[];
  readonly resizePolicy?: readonly { readonly resourceName: string; readonly restartPolicy: string }[];
}

export interface PreferredSchedulingTerm {
  readonly weight: number;
  readonly preference: NodeSelectorTerm;
}

export interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredSchedulingTerm[];
}

export interface PodAffinityTerm {
  readonly labelSelector?: LabelSelector;
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: LabelSelector;
  readonly topologyKey: string;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

export interface WeightedPodAffinityTerm {
  readonly weight: number;
  readonly podAffinityTerm: PodAffinityTerm;
}

/** `v1.PodAffinity` and `v1.PodAntiAffinity` have the same shape. */
export interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
}

export interface Affinity {
  readonly nodeAffinity?: NodeAffinity;
  readonly podAffinity?: PodAffinity;
  readonly podAntiAffinity?: PodAffinity;
}

export interface TopologySpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: string;
  readonly labelSelector?: LabelSelector;
  readonly minDomains?: number;
  readonly nodeAffinityPolicy?: string;
  readonly nodeTaintsPolicy?: string;
  readonly matchLabelKeys?: readonly string[];
}

/** The kept part of a volume, which affects placement, drain or attach limits; secrets and mounts are dropped. */
export interface Volume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean };
  readonly ephemeral?: { readonly volumeClaimTemplate?: { readonly spec?: PersistentVolumeClaimSpec } };
  readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: QuantityString };
  readonly csi?: { readonly driver: string };
  readonly gcePersistentDisk?: { readonly pdName: string; readonly readOnly?: boolean };
  readonly awsElasticBlockStore?: { readonly volumeID: string; readonly readOnly?: boolean };
  readonly azureDisk?: { readonly diskName: string; readonly diskURI: string };
  readonly cinder?: { readonly volumeID: string };
  readonly iscsi?: {
    readonly iqn: string;
    readonly lun?: number;
    readonly targetPortal?: string;
    readonly readOnly?: boolean;
  };
  readonly rbd?: {
    readonly monitors: readonly string[];
    readonly image: string;
    readonly pool?: string;
    readonly readOnly?: boolean;
  };
  readonly hostPath?: Readonly<Record<string, never>>;
  readonly image?: { readonly reference?: string };
}

export interface PodResourceClaim {
  readonly name: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: Affinity;
  readonly tolerations?: readonly Toleration[];
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  readonly schedulingGates?: readonly { readonly name: string }[];
  readonly schedulerName?: string;
  readonly priority?: number;
  readonly priorityClassName?: string;
  readonly preemptionPolicy?: string;
  readonly runtimeClassName?: string;
  readonly overhead?: ResourceList;
  /** Pod-level resources. */
  readonly resources?: ResourceRequirements;
  readonly resourceClaims?: readonly PodResourceClaim[];
  readonly hostNetwork?: boolean;
  readonly hostUsers?: boolean;
  readonly os?: { readonly name: string };
  readonly restartPolicy?: string;
  readonly terminationGracePeriodSeconds?: Int64;
  readonly activeDeadlineSeconds?: Int64;
  readonly serviceAccountName?: string;
  readonly volumes?: readonly Volume[];
}

/** `status.containerStatuses[]`: a container's resources as reported by the kubelet, for in-place resize. */
export interface ContainerStatus {
  readonly name: string;
  readonly allocatedResources?: ResourceList;
  readonly resources?: ResourceRequirements;
}

/** A condition of a pod or a node. `message` is kept only if it comes from the scheduler or explains a disruption. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastHeartbeatTime?: Timestamp;
  readonly lastTransitionTime?: Timestamp;
}

export interface PodStatus {
  readonly phase?: string;
  readonly reason?: string;
  readonly qosClass?: string;
  readonly startTime?: Timestamp;
  readonly nominatedNodeName?: string;
  readonly conditions?: readonly Condition[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  /** Pod-level resources as actuated and as allocated. */
  readonly resources?: ResourceRequirements;
  readonly allocatedResources?: ResourceList;
  readonly resize?: string;
  /** The claims created from the pod's claim templates: the name in the spec, and the name of the ResourceClaim. */
  readonly resourceClaimStatuses?: readonly { readonly name: string; readonly resourceClaimName?: string }[];
  /** The claim for extended resources that a DRA driver provides. */
  readonly extendedResourceClaimStatus?: {
    readonly resourceClaimName: string;
    readonly requestMappings: readonly {
      readonly containerName: string;
      readonly requestName: string;
      readonly resourceName: string;
    }[];
  };
}

export interface Pod extends KubernetesObject {
  readonly kind: 'Pod';
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

/** `v1.PodTemplateSpec`, the pod template of a workload. */
export interface PodTemplateSpec {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec: PodSpec;
}
