import { defined } from '../collections/defined.js';
/** A plugin of the API server that is not run here. */
export interface OtherPlugin {
  readonly name: string;
  readonly onByDefault: boolean;
  /** What it could do to a pod; absent for one that leaves pods alone. */
  readonly toPods?: string;
}

/**
 * The plugins that this service does not run, in the API server's order, and what each could do to a pod: an answer names those
 * that are on, so that nobody takes them for asked.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubeapiserver/options/plugins.go, `AllOrderedPlugins` and `DefaultOffAdmissionPlugins`.
 */
export const OTHER_PLUGINS: readonly OtherPlugin[] = [
  off('AlwaysAdmit'),
  off('NamespaceAutoProvision', 'creates the namespace of a pod if it does not exist'),
  off('NamespaceExists', 'refuses a pod without a namespace, as NamespaceLifecycle does'),
  off('LimitPodHardAntiAffinityTopology', 'refuses required anti-affinity with a topology key other than the hostname'),
  on('ServiceAccount', 'sets the service account, mounts its token, and refuses a pod whose account does not exist'),
  off('NodeRestriction', 'refuses pods that a kubelet may not create'),
  off('AlwaysPullImages', 'sets the pull policy of every image to Always'),
  off('ImagePolicyWebhook', 'asks a server to review the images'),
  on('PodSecurity', "refuses pods that violate the namespace's pod security standard"),
  off('EventRateLimit'),
  on('DefaultStorageClass'),
  on('StorageObjectInUseProtection'),
  off('OwnerReferencesPermissionEnforcement', 'refuses owner references that the client may not set'),
  on('PersistentVolumeClaimResize'),
  on('CertificateApproval'),
  on('CertificateSigning'),
  on('ClusterTrustBundleAttest'),
  on('CertificateSubjectRestriction'),
  on('DefaultIngressClass'),
  off('DenyServiceExternalIPs'),
  on('PodTopologyLabels'),
  on('NodeDeclaredFeatureValidator'),
  on('MutatingAdmissionPolicy', 'changes pods by policies of the cluster'),
  on('MutatingAdmissionWebhook', 'calls the mutating webhooks of the cluster'),
  on('ValidatingAdmissionPolicy', 'validates pods by policies of the cluster'),
  on('ValidatingAdmissionWebhook', 'calls the validating webhooks of the cluster'),
  off('AlwaysDeny', 'refuses all requests'),
];

function on(name: string, toPods?: string): OtherPlugin {
  return { name, onByDefault: true, ...defined({ toPods }) };
}

function off(name: string, toPods?: string): OtherPlugin {
  return { name, onByDefault: false, ...defined({ toPods }) };
}
