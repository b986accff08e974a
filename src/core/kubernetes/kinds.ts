/** The kinds that a snapshot keeps; objects of all other kinds are only counted. */
export type KeptKind =
  | 'Node'
  | 'Pod'
  | 'Namespace'
  | 'RuntimeClass'
  | 'PriorityClass'
  | 'ResourceQuota'
  | 'LimitRange'
  | 'ServiceAccount'
  | 'PodDisruptionBudget'
  | 'Deployment'
  | 'ReplicaSet'
  | 'StatefulSet'
  | 'DaemonSet'
  | 'Job'
  | 'CronJob'
  | 'ReplicationController'
  | 'PersistentVolume'
  | 'PersistentVolumeClaim'
  | 'StorageClass'
  | 'CSINode'
  | 'CSIDriver'
  | 'CSIStorageCapacity'
  | 'VolumeAttachment'
  | 'ResourceSlice'
  | 'ResourceClaim'
  | 'ResourceClaimTemplate'
  | 'DeviceClass'
  | 'DeviceTaintRule'
  | 'Lease'
  | 'Service'
  | 'MutatingWebhookConfiguration'
  | 'ValidatingWebhookConfiguration'
  | 'ValidatingAdmissionPolicy'
  | 'ValidatingAdmissionPolicyBinding'
  | 'MutatingAdmissionPolicy'
  | 'MutatingAdmissionPolicyBinding'
  | 'ConfigMap'
  | 'NodeReadinessRule'
  | 'NodePool'
  | 'NodeClaim'
  | 'MachineDeployment'
  | 'MachineSet'
  | 'MachinePool'
  | 'OpenShiftMachineSet'
  | 'PodGroup'
  | 'CoschedulingPodGroup';

/** A kept kind. */
export interface KindInfo {
  readonly kind: KeptKind;
  /** Its name in manifests and lists, where a kind of another API group has the same; `kind` by default. */
  readonly servedAs?: string;
  /** The plural name of the resource, as in URLs: `poddisruptionbudgets`. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Every version in which Kubernetes, or the extension, has served the kind since 1.16; objects are stored in the first. */
  readonly apiVersions: readonly [string, ...string[]];
  /** Whether an API server serves it only with an extension or a feature gate: what is in a manifest of it is not checked. */
  readonly isExtension?: true;
}

const APPS = ['apps/v1', 'apps/v1beta2', 'apps/v1beta1', 'extensions/v1beta1'] as const;
const STORAGE = ['storage.k8s.io/v1', 'storage.k8s.io/v1beta1'] as const;
const RESOURCE = [
  'resource.k8s.io/v1',
  'resource.k8s.io/v1beta2',
  'resource.k8s.io/v1beta1',
  'resource.k8s.io/v1alpha3',
] as const;
const WEBHOOKS = ['admissionregistration.k8s.io/v1', 'admissionregistration.k8s.io/v1beta1'] as const;
const MACHINES = ['cluster.x-k8s.io/v1beta2', 'cluster.x-k8s.io/v1beta1'] as const;
const MUTATING_ALPHA = 'admissionregistration.k8s.io/v1alpha1';

/** All kept kinds; those that placement reads first come first. */
export const KINDS: readonly KindInfo[] = [
  cluster('Node', 'nodes', 'v1'),
  namespaced('Pod', 'pods', 'v1'),
  cluster('Namespace', 'namespaces', 'v1'),
  cluster('RuntimeClass', 'runtimeclasses', 'node.k8s.io/v1', 'node.k8s.io/v1beta1', 'node.k8s.io/v1alpha1'),
  cluster(
    'PriorityClass',
    'priorityclasses',
    'scheduling.k8s.io/v1',
    'scheduling.k8s.io/v1beta1',
    'scheduling.k8s.io/v1alpha1',
  ),
  namespaced('ResourceQuota', 'resourcequotas', 'v1'),
  namespaced('LimitRange', 'limitranges', 'v1'),
  namespaced('ServiceAccount', 'serviceaccounts', 'v1'),
  namespaced('PodDisruptionBudget', 'poddisruptionbudgets', 'policy/v1', 'policy/v1beta1'),
  namespaced('Deployment', 'deployments', ...APPS),
  namespaced('ReplicaSet', 'replicasets', 'apps/v1', 'apps/v1beta2', 'extensions/v1beta1'),
  namespaced('StatefulSet', 'statefulsets', 'apps/v1', 'apps/v1beta2', 'apps/v1beta1'),
  namespaced('DaemonSet', 'daemonsets', 'apps/v1', 'apps/v1beta2', 'extensions/v1beta1'),
  namespaced('Job', 'jobs', 'batch/v1'),
  namespaced('CronJob', 'cronjobs', 'batch/v1', 'batch/v1beta1', 'batch/v2alpha1'),
  namespaced('ReplicationController', 'replicationcontrollers', 'v1'),
  cluster('PersistentVolume', 'persistentvolumes', 'v1'),
  namespaced('PersistentVolumeClaim', 'persistentvolumeclaims', 'v1'),
  cluster('StorageClass', 'storageclasses', ...STORAGE),
  cluster('CSINode', 'csinodes', ...STORAGE),
  cluster('CSIDriver', 'csidrivers', ...STORAGE),
  namespaced('CSIStorageCapacity', 'csistoragecapacities', ...STORAGE, 'storage.k8s.io/v1alpha1'),
  cluster('VolumeAttachment', 'volumeattachments', ...STORAGE, 'storage.k8s.io/v1alpha1'),
  cluster('ResourceSlice', 'resourceslices', ...RESOURCE),
  namespaced('ResourceClaim', 'resourceclaims', ...RESOURCE),
  namespaced('ResourceClaimTemplate', 'resourceclaimtemplates', ...RESOURCE),
  cluster('DeviceClass', 'deviceclasses', ...RESOURCE),
  cluster('DeviceTaintRule', 'devicetaintrules', 'resource.k8s.io/v1beta2', 'resource.k8s.io/v1alpha3'),
  namespaced('Lease', 'leases', 'coordination.k8s.io/v1', 'coordination.k8s.io/v1beta1'),
  namespaced('Service', 'services', 'v1'),
  cluster('MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', ...WEBHOOKS),
  cluster('ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', ...WEBHOOKS),
  // Not v1alpha1, whose bindings had no actions at first.
  cluster('ValidatingAdmissionPolicy', 'validatingadmissionpolicies', ...WEBHOOKS),
  cluster('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', ...WEBHOOKS),
  cluster('MutatingAdmissionPolicy', 'mutatingadmissionpolicies', ...WEBHOOKS, MUTATING_ALPHA),
  cluster('MutatingAdmissionPolicyBinding', 'mutatingadmissionpolicybindings', ...WEBHOOKS, MUTATING_ALPHA),
  namespaced('ConfigMap', 'configmaps', 'v1'),
  // Custom resources of extensions: most clusters serve none of them.
  extension(cluster('NodeReadinessRule', 'nodereadinessrules', 'readiness.node.x-k8s.io/v1alpha1')),
  extension(cluster('NodePool', 'nodepools', 'karpenter.sh/v1', 'karpenter.sh/v1beta1')),
  extension(cluster('NodeClaim', 'nodeclaims', 'karpenter.sh/v1', 'karpenter.sh/v1beta1')),
  extension(namespaced('MachineDeployment', 'machinedeployments', ...MACHINES)),
  extension(namespaced('MachineSet', 'machinesets', ...MACHINES)),
  extension(namespaced('MachinePool', 'machinepools', ...MACHINES)),
  extension({
    ...namespaced('OpenShiftMachineSet', 'machinesets', 'machine.openshift.io/v1beta1'),
    servedAs: 'MachineSet',
  }),
  // Of the API server, where its gate is on.
  extension(namespaced('PodGroup', 'podgroups', 'scheduling.k8s.io/v1alpha2')),
  extension({
    ...namespaced('CoschedulingPodGroup', 'podgroups', 'scheduling.x-k8s.io/v1alpha1'),
    servedAs: 'PodGroup',
  }),
];

const byKind = new Map<string, KindInfo>(KINDS.map((info) => [info.kind, info]));

const byApiVersionAndKind = new Map<string, Map<string, KindInfo>>();
for (const info of KINDS) {
  for (const apiVersion of info.apiVersions) {
    const kinds = byApiVersionAndKind.get(apiVersion) ?? new Map<string, KindInfo>();
    // Stored objects have the kept name.
    byApiVersionAndKind.set(apiVersion, kinds.set(info.kind, info).set(servedKindOf(info), info));
  }
}

/** The kind in manifests and lists. */
export function servedKindOf({ kind, servedAs = kind }: KindInfo): string {
  return servedAs;
}

/** The kept kind for an object's `apiVersion` and `kind`, in any version that was ever served. */
export function kindOf(apiVersion: string, kind: string): KindInfo | undefined {
  return byApiVersionAndKind.get(apiVersion)?.get(kind);
}

/** A kept kind by its name alone. */
export function kindInfo(kind: KeptKind): KindInfo {
  return byKind.get(kind)!;
}

/** Whether a name, for instance from a request, is that of a kept kind. */
export function isKeptKind(kind: string): kind is KeptKind {
  return byKind.has(kind);
}

function cluster(kind: KeptKind, plural: string, ...apiVersions: [string, ...string[]]): KindInfo {
  return { kind, plural, namespaced: false, apiVersions };
}

function namespaced(kind: KeptKind, plural: string, ...apiVersions: [string, ...string[]]): KindInfo {
  return { kind, plural, namespaced: true, apiVersions };
}

function extension(info: KindInfo): KindInfo {
  return { ...info, isExtension: true };
}
