import { defined } from '../collections/defined.js';
/** A plugin of the API server that this service does not evaluate. */
export interface OtherPlugin {
  readonly name: string;
  readonly enabledByDefault: boolean;
  /** What it could do to a pod; absent for one that leaves pods alone. */
  readonly effectOnPods?: string;
}

/**
 * The plugins that this service does not evaluate, in the API server's order, and what each could do to a pod. Responses list
 * the enabled ones, so that nobody relies on them.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubeapiserver/options/plugins.go, `AllOrderedPlugins` and `DefaultOffAdmissionPlugins`.
 */
export const OTHER_PLUGINS: readonly OtherPlugin[] = [
  disabled('AlwaysAdmit'),
  disabled('NamespaceAutoProvision', 'creates the namespace of a pod if it does not exist'),
  disabled('NamespaceExists', 'refuses a pod without a namespace, as NamespaceLifecycle does'),
  disabled(
    'LimitPodHardAntiAffinityTopology',
    'refuses required anti-affinity with a topology key other than the hostname',
  ),
  disabled('NodeRestriction', 'refuses pods that a kubelet may not create'),
  disabled('AlwaysPullImages', 'sets the pull policy of every image to Always'),
  disabled('ImagePolicyWebhook', 'asks a server to review the images'),
  disabled('EventRateLimit'),
  enabled('DefaultStorageClass'),
  enabled('StorageObjectInUseProtection'),
  disabled('OwnerReferencesPermissionEnforcement', 'refuses owner references that the client may not set'),
  enabled('PersistentVolumeClaimResize'),
  enabled('CertificateApproval'),
  enabled('CertificateSigning'),
  enabled('ClusterTrustBundleAttest'),
  enabled('CertificateSubjectRestriction'),
  enabled('DefaultIngressClass'),
  disabled('DenyServiceExternalIPs'),
  enabled('PodTopologyLabels'),
  enabled('NodeDeclaredFeatureValidator'),
  disabled('AlwaysDeny', 'refuses all requests'),
];

function enabled(name: string, effectOnPods?: string): OtherPlugin {
  return { name, enabledByDefault: true, ...defined({ effectOnPods }) };
}

function disabled(name: string, effectOnPods?: string): OtherPlugin {
  return { name, enabledByDefault: false, ...defined({ effectOnPods }) };
}
