import { kindOf, type KindInfo } from '../kinds.js';

/**
 * How kube-apiserver v1.36 serves a kind:
 * - `served`: by default.
 * - `off`: only if an administrator has enabled the version (`--runtime-config`), as all beta and alpha versions.
 * - `gone`: never; the version was removed, or the group has no such kind.
 * - `custom`: the group is not one of Kubernetes, so it depends on the cluster's CustomResourceDefinitions.
 */
export type Serving = 'served' | 'off' | 'gone' | 'custom';

export interface ServedKind {
  readonly serving: Serving;
  /** Undefined for kinds that Kubernetes does not know. */
  readonly namespaced: boolean | undefined;
  /** The kind, if it is one that this service knows in full. */
  readonly info: KindInfo | undefined;
}

interface Group {
  readonly namespaced?: readonly string[];
  readonly cluster?: readonly string[];
}

/**
 * The kinds of Kubernetes v1.36 that are not kept, by served version (k8s.io/api v0.36.2, `kubectl api-resources` of a cluster
 * with default settings).
 */
const OTHERS: Readonly<Record<string, Group>> = {
  v1: {
    namespaced: ['Binding', 'Endpoints', 'Event', 'PodTemplate', 'Secret'],
    cluster: ['ComponentStatus'],
  },
  'apiextensions.k8s.io/v1': { cluster: ['CustomResourceDefinition'] },
  'apiregistration.k8s.io/v1': { cluster: ['APIService'] },
  'apps/v1': { namespaced: ['ControllerRevision'] },
  'authentication.k8s.io/v1': { cluster: ['SelfSubjectReview', 'TokenReview'] },
  'authorization.k8s.io/v1': {
    namespaced: ['LocalSubjectAccessReview'],
    cluster: ['SelfSubjectAccessReview', 'SelfSubjectRulesReview', 'SubjectAccessReview'],
  },
  'autoscaling/v1': { namespaced: ['HorizontalPodAutoscaler'] },
  'autoscaling/v2': { namespaced: ['HorizontalPodAutoscaler'] },
  'certificates.k8s.io/v1': { cluster: ['CertificateSigningRequest'] },
  'discovery.k8s.io/v1': { namespaced: ['EndpointSlice'] },
  'events.k8s.io/v1': { namespaced: ['Event'] },
  'flowcontrol.apiserver.k8s.io/v1': { cluster: ['FlowSchema', 'PriorityLevelConfiguration'] },
  'networking.k8s.io/v1': {
    namespaced: ['Ingress', 'NetworkPolicy'],
    cluster: ['IPAddress', 'IngressClass', 'ServiceCIDR'],
  },
  'rbac.authorization.k8s.io/v1': {
    namespaced: ['Role', 'RoleBinding'],
    cluster: ['ClusterRole', 'ClusterRoleBinding'],
  },
  'storage.k8s.io/v1': { cluster: ['VolumeAttributesClass'] },
};

/** The versions of Kubernetes v1.36 that are off by default. */
const OFF: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/v1alpha1',
  'admissionregistration.k8s.io/v1beta1',
  'certificates.k8s.io/v1alpha1',
  'certificates.k8s.io/v1beta1',
  'coordination.k8s.io/v1alpha2',
  'coordination.k8s.io/v1beta1',
  'internal.apiserver.k8s.io/v1alpha1',
  'networking.k8s.io/v1beta1',
  'resource.k8s.io/v1alpha3',
  'resource.k8s.io/v1beta1',
  'resource.k8s.io/v1beta2',
  'scheduling.k8s.io/v1alpha1',
  'scheduling.k8s.io/v1alpha2',
  'storage.k8s.io/v1beta1',
  'storagemigration.k8s.io/v1beta1',
]);

/** Kinds that a version of `OFF` had earlier and no longer has. */
const GONE: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1beta1 ValidatingWebhookConfiguration',
  'coordination.k8s.io/v1beta1 Lease',
  'networking.k8s.io/v1beta1 Ingress',
  'networking.k8s.io/v1beta1 IngressClass',
  'scheduling.k8s.io/v1alpha1 PriorityClass',
  'storage.k8s.io/v1beta1 CSIDriver',
  'storage.k8s.io/v1beta1 CSINode',
  'storage.k8s.io/v1beta1 CSIStorageCapacity',
  'storage.k8s.io/v1beta1 StorageClass',
  'storage.k8s.io/v1beta1 VolumeAttachment',
  'certificates.k8s.io/v1beta1 CertificateSigningRequest',
  'resource.k8s.io/v1alpha3 DeviceClass',
  'resource.k8s.io/v1alpha3 ResourceClaim',
  'resource.k8s.io/v1alpha3 ResourceClaimTemplate',
  'resource.k8s.io/v1alpha3 ResourceSlice',
]);

const GROUPS: ReadonlySet<string> = new Set([
  ...[...Object.keys(OTHERS), ...OFF].map(groupOf),
  ...['', 'apps', 'batch', 'extensions', 'node.k8s.io', 'policy'],
]);

/** How Kubernetes v1.36 serves a kind, and whether its objects have a namespace. */
export function servedKind(apiVersion: string, kind: string): ServedKind {
  const kept = kindOf(apiVersion, kind);
  const info = kept?.isExtension === true ? undefined : kept;
  const other = Object.hasOwn(OTHERS, apiVersion) ? OTHERS[apiVersion] : undefined;
  if (info?.apiVersions[0] === apiVersion) return { serving: 'served', namespaced: info.namespaced, info };
  if (other?.namespaced?.includes(kind) === true) return { serving: 'served', namespaced: true, info };
  if (other?.cluster?.includes(kind) === true) return { serving: 'served', namespaced: false, info };
  const namespaced = kept?.namespaced;
  if (!GROUPS.has(groupOf(apiVersion))) return { serving: 'custom', namespaced, info };
  const isOff = OFF.has(apiVersion) && !GONE.has(`${apiVersion} ${kind}`);
  return { serving: isOff ? 'off' : 'gone', namespaced, info };
}

/**
 * Why an object says nothing about where pods go, as a sentence without its full stop; undefined for kinds that the service
 * reads, in any version that Kubernetes has ever served.
 */
export function whyNotLookedAt(apiVersion: string, kind: string): string | undefined {
  const { serving, info } = servedKind(apiVersion, kind);
  if (info !== undefined) return undefined;
  if (serving === 'custom') {
    return `${kind} is not a kind of Kubernetes: what a controller makes of it is not known`;
  }
  if (serving === 'off') return `Kubernetes v1.36 serves ${apiVersion} only where it is enabled`;
  if (serving === 'gone') return noMatch(apiVersion, kind);
  return kind === 'HorizontalPodAutoscaler'
    ? 'it changes the number of replicas later, by metrics that are not known'
    : `the kind ${kind} does not decide where pods can run`;
}

/** The error of kubectl for a kind that the API server does not serve (k8s.io/apimachinery v0.36.2, pkg/api/meta, NoKindMatchError). */
export const noMatch = (apiVersion: string, kind: string): string =>
  `no matches for kind "${kind}" in version "${apiVersion}"`;

/** The group of a version; empty for `v1`. */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}
