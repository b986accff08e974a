import { defined } from '../collections/defined.js';
import { quoteGo } from '../kubernetes/go-text.js';

/** What a plugin that is not evaluated may be asked about. */
export interface AskedOfOthers {
  /** The namespace of the pod, if it does not exist. */
  readonly provisioned: string | undefined;
  readonly isMirrorPod: boolean;
  /** An owner that the sender needs permissions to refer to. */
  readonly owner: { readonly kind: string; readonly name: string } | undefined;
}

/** A plugin of the API server that this service does not evaluate. */
export interface OtherPlugin {
  readonly name: string;
  readonly enabledByDefault: boolean;
  /** What it could do to a pod; absent for one that leaves pods alone. */
  readonly effectOnPods?: string;
  /** Why its answer for a pod is not known, as a sentence without its full stop; undefined if it leaves the pod alone. */
  readonly doubt?: (asked: AskedOfOthers) => string | undefined;
}

/**
 * The plugins that this service does not evaluate, in the API server's order, and what each could do to a pod. Where one is enabled and
 * may refuse or change the pod in question, the pod's admission is unknown.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubeapiserver/options/plugins.go, `AllOrderedPlugins` and `DefaultOffAdmissionPlugins`.
 */
export const OTHER_PLUGINS: readonly OtherPlugin[] = [
  disabled('AlwaysAdmit'),
  disabled('NamespaceAutoProvision', 'creates the namespace of a pod if it does not exist', ({ provisioned }) =>
    provisioned === undefined
      ? undefined
      : `namespace ${quoteGo(provisioned)} does not exist and is created, and what admission makes of it is not known`,
  ),
  disabled('NodeRestriction', 'refuses pods that a kubelet may not create', ({ isMirrorPod }) =>
    isMirrorPod ? 'mirror pods come from kubelets, and which one sends this pod is not known' : undefined,
  ),
  disabled(
    'ImagePolicyWebhook',
    'asks a server to review the images',
    () => 'a server reviews the images of the pod, and what it says is not known',
  ),
  disabled('EventRateLimit'),
  enabled('DefaultStorageClass'),
  enabled('StorageObjectInUseProtection'),
  disabled(
    'OwnerReferencesPermissionEnforcement',
    'refuses owner references that the client may not set',
    ({ owner }) =>
      owner && `whether the sender may set an owner reference to ${owner.kind} ${quoteGo(owner.name)} is not known`,
  ),
  enabled('PersistentVolumeClaimResize'),
  enabled('CertificateApproval'),
  enabled('CertificateSigning'),
  enabled('ClusterTrustBundleAttest'),
  enabled('CertificateSubjectRestriction'),
  enabled('DefaultIngressClass'),
  disabled('DenyServiceExternalIPs'),
  enabled('PodTopologyLabels'),
  enabled('NodeDeclaredFeatureValidator'),
];

function enabled(name: string): OtherPlugin {
  return { name, enabledByDefault: true };
}

function disabled(name: string, effectOnPods?: string, doubt?: OtherPlugin['doubt']): OtherPlugin {
  return { name, enabledByDefault: false, ...defined({ effectOnPods, doubt }) };
}
