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

/** A profile of AppArmor or seccomp; `type` is Localhost, RuntimeDefault or Unconfined. */
export interface Profile {
  readonly type?: string;
  readonly localhostProfile?: string;
}

export interface SELinuxSetters {
  readonly role?: string;
  readonly type?: string;
  readonly user?: string;
}

export interface WindowsHostProcess {
  readonly hostProcess?: boolean;
}

/** The kept part of a container's security context: what Pod Security Standards restrict. */
export interface ContainerSecurity {
  readonly allowPrivilegeEscalation?: boolean;
  readonly appArmorProfile?: Profile;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  readonly privileged?: boolean;
  readonly procMount?: string;
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: Int64;
  readonly seLinuxOptions?: SELinuxSetters;
  readonly seccompProfile?: Profile;
  readonly windowsOptions?: WindowsHostProcess;
}

/** The kept part of a pod's security context: what Pod Security Standards restrict. */
export interface PodSecurity {
  readonly appArmorProfile?: Profile;
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: Int64;
  readonly seLinuxOptions?: SELinuxSetters;
  readonly seccompProfile?: Profile;
  readonly sysctls?: readonly { readonly name?: string }[];
  readonly windowsOptions?: WindowsHostProcess;
}

/** The hosts that a probe or hook calls; one without a host is not kept. */
export interface HandlerHosts {
  readonly httpGet?: { readonly host?: string };
  readonly tcpSocket?: { readonly host?: string };
}

export interface LifecycleHosts {
  readonly postStart?: HandlerHosts;
  readonly preStop?: HandlerHosts;
}

/** The kept part of a container: without command, args and env; of probes and hooks, hosts that are named. */
export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly resources?: ResourceRequirements;
  readonly ports?: readonly ContainerPort[];
  readonly restartPolicy?: string;
  readonly restartPolicyRules?: readonly { readonly action: string }[];
  readonly resizePolicy?: readonly { readonly resourceName: string; readonly restartPolicy: string }[];
  readonly securityContext?: ContainerSecurity;
  readonly livenessProbe?: HandlerHosts;
  readonly readinessProbe?: HandlerHosts;
  readonly startupProbe?: HandlerHosts;
  readonly lifecycle?: LifecycleHosts;
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

/** Only that it is there is kept. */
type Presence = Readonly<Record<string, never>>;

/**
 * The kept part of a volume: what affects placement, drain or attach limits, and the types that Pod Security Standards restrict. Of types
 * that any pod may use, such as secrets, nothing is kept.
 */
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
  readonly hostPath?: Presence;
  readonly image?: { readonly reference?: string };
  readonly azureFile?: Presence;
  readonly cephfs?: Presence;
  readonly fc?: Presence;
  readonly flexVolume?: Presence;
  readonly flocker?: Presence;
  readonly gitRepo?: Presence;
  readonly glusterfs?: Presence;
  readonly nfs?: Presence;
  readonly photonPersistentDisk?: Presence;
  readonly portworxVolume?: { readonly volumeID: string };
  readonly quobyte?: Presence;
  readonly scaleIO?: Presence;
  readonly storageos?: Presence;
  readonly vsphereVolume?: { readonly volumePath: string };
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
  /** Behind the gate GenericWorkload, which is off by default. */
  readonly schedulingGroup?: { readonly podGroupName?: string };
  /** The group in Kubernetes 1.35, behind the same gate. */
  readonly workloadRef?: { readonly name?: string; readonly podGroup?: string; readonly podGroupReplicaKey?: string };
  readonly schedulerName?: string;
  readonly priority?: number;
  readonly priorityClassName?: string;
  readonly preemptionPolicy?: string;
  readonly runtimeClassName?: string;
  readonly overhead?: ResourceList;
  /** Pod-level resources. */
  readonly resources?: ResourceRequirements;
  readonly resourceClaims?: readonly PodResourceClaim[];
  readonly hostIPC?: boolean;
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostUsers?: boolean;
  readonly os?: { readonly name: string };
  readonly restartPolicy?: string;
  readonly terminationGracePeriodSeconds?: Int64;
  readonly activeDeadlineSeconds?: Int64;
  readonly serviceAccountName?: string;
  /** The API server sets it. Pods that were stored before it was kept lack it, and what else Pod Security Standards restrict. */
  readonly securityContext?: PodSecurity;
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
