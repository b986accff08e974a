import type { ManifestServer } from '../cluster-version.js';
import { isKeptKind, kindInfo, kindOf, type KeptKind, type KindInfo } from '../kinds.js';
import type { KubernetesRules, RuleGate } from '../kubernetes-rules.js';

/**
 * How the API server of a version of Kubernetes serves a kind:
 * - `served`: by default, or since a feature gate is on that needs it.
 * - `off`: only if an administrator has enabled the version (`--runtime-config`), as all beta and alpha versions.
 * - `gone`: never; the version was removed, is not there yet, or the group has no such kind.
 * - `custom`: the group is not one of Kubernetes, so it depends on the cluster's CustomResourceDefinitions.
 */
export type Serving = 'served' | 'off' | 'gone' | 'custom';

export interface KindScope {
  /** Undefined for kinds that Kubernetes does not know. */
  readonly namespaced: boolean | undefined;
  /** The kind, if it is one that this service knows in full. */
  readonly info: KindInfo | undefined;
}

/** A kind in a version of its group, and the minor versions of Kubernetes that can serve it. */
interface Served {
  readonly kind: string;
  readonly since: number;
  readonly before: number;
  /** The gate that is on only where the API server serves the version, by the minor version in which other components ask for it. */
  readonly gate?: (minor: number) => RuleGate | undefined;
}

const of = (kinds: string, since = 0, before = Infinity, gate?: Served['gate']): readonly Served[] =>
  kinds.split(' ').map((kind) => ({ kind, since, before, ...(gate && { gate }) }));

const POLICY = 'ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding';
const MUTATING = 'MutatingAdmissionPolicy MutatingAdmissionPolicyBinding';
const CLAIMS = 'DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice';

/** The version in which kube-scheduler and kube-controller-manager read claims. */
const claimsIn =
  (...minors: readonly number[]) =>
  (minor: number): RuleGate | undefined =>
    minors.includes(minor) ? 'DynamicResourceAllocation' : undefined;

const groupsOfPods = (): RuleGate => 'GenericWorkload';

/**
 * The kinds that the API servers of Kubernetes 1.31 to 1.36 can serve, by version.
 *
 * Source: k8s.io/api v0.31 to v0.36, register.go and zz_generated.prerelease-lifecycle.go of each version; k8s.io/kubernetes v1.31.14 to
 * v1.36.2, pkg/controlplane/instance.go, `DefaultAPIResourceConfigSource`, and the informers of pkg/scheduler and
 * pkg/controller/resourceclaim.
 */
const SERVED: Readonly<Record<string, readonly Served[]>> = {
  v1: of(
    'Binding ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount',
  ),
  'admissionregistration.k8s.io/v1': [
    ...of(`MutatingWebhookConfiguration ValidatingWebhookConfiguration ${POLICY}`),
    ...of(MUTATING, 36),
  ],
  'admissionregistration.k8s.io/v1alpha1': [...of(MUTATING, 32), ...of(POLICY, 0, 32)],
  'admissionregistration.k8s.io/v1beta1': [...of(MUTATING, 34), ...of(POLICY, 0, 34)],
  'apiextensions.k8s.io/v1': of('CustomResourceDefinition'),
  'apiregistration.k8s.io/v1': of('APIService'),
  'apps/v1': of('ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet'),
  'authentication.k8s.io/v1': of('SelfSubjectReview TokenReview'),
  'authentication.k8s.io/v1alpha1': of('SelfSubjectReview', 0, 32),
  'authentication.k8s.io/v1beta1': of('SelfSubjectReview', 0, 33),
  'authorization.k8s.io/v1': of(
    'LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview',
  ),
  'autoscaling/v1': of('HorizontalPodAutoscaler'),
  'autoscaling/v2': of('HorizontalPodAutoscaler'),
  'batch/v1': of('CronJob Job'),
  'certificates.k8s.io/v1': of('CertificateSigningRequest'),
  'certificates.k8s.io/v1alpha1': [...of('ClusterTrustBundle'), ...of('PodCertificateRequest', 34, 35)],
  'certificates.k8s.io/v1beta1': [...of('ClusterTrustBundle', 33), ...of('PodCertificateRequest', 35)],
  'coordination.k8s.io/v1': of('Lease'),
  'coordination.k8s.io/v1alpha1': of('LeaseCandidate', 0, 32),
  'coordination.k8s.io/v1alpha2': of('LeaseCandidate', 32),
  'coordination.k8s.io/v1beta1': of('LeaseCandidate', 33),
  'discovery.k8s.io/v1': of('EndpointSlice'),
  'events.k8s.io/v1': of('Event'),
  'flowcontrol.apiserver.k8s.io/v1': of('FlowSchema PriorityLevelConfiguration'),
  'flowcontrol.apiserver.k8s.io/v1beta3': of('FlowSchema PriorityLevelConfiguration', 0, 32),
  'internal.apiserver.k8s.io/v1alpha1': of('StorageVersion'),
  'networking.k8s.io/v1': [...of('Ingress IngressClass NetworkPolicy'), ...of('IPAddress ServiceCIDR', 33)],
  'networking.k8s.io/v1alpha1': of('IPAddress ServiceCIDR', 0, 33),
  'networking.k8s.io/v1beta1': of('IPAddress ServiceCIDR'),
  'node.k8s.io/v1': of('RuntimeClass'),
  'policy/v1': of('PodDisruptionBudget'),
  'rbac.authorization.k8s.io/v1': of('ClusterRole ClusterRoleBinding Role RoleBinding'),
  'resource.k8s.io/v1': of(CLAIMS, 34),
  'resource.k8s.io/v1alpha3': [
    ...of(CLAIMS, 0, 34, claimsIn(31)),
    ...of('PodSchedulingContext', 0, 32),
    ...of('DeviceTaintRule', 33, Infinity, (minor) =>
      minor < 35 ? 'DRADeviceTaints' : minor === 35 ? 'DRADeviceTaintRules' : undefined,
    ),
    ...of('ResourcePoolStatusRequest', 36),
  ],
  'resource.k8s.io/v1beta1': of(CLAIMS, 32, Infinity, claimsIn(32, 33)),
  'resource.k8s.io/v1beta2': [...of(CLAIMS, 33), ...of('DeviceTaintRule', 36, Infinity, () => 'DRADeviceTaintRules')],
  'scheduling.k8s.io/v1': of('PriorityClass'),
  'scheduling.k8s.io/v1alpha1': of('Workload', 35, 36, groupsOfPods),
  'scheduling.k8s.io/v1alpha2': of('PodGroup Workload', 36, Infinity, groupsOfPods),
  'storage.k8s.io/v1': [
    ...of('CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment'),
    ...of('VolumeAttributesClass', 34),
  ],
  'storage.k8s.io/v1alpha1': of('VolumeAttributesClass', 0, 35),
  'storage.k8s.io/v1beta1': of('VolumeAttributesClass'),
  'storagemigration.k8s.io/v1alpha1': of('StorageVersionMigration', 0, 35),
  'storagemigration.k8s.io/v1beta1': of('StorageVersionMigration', 35),
};

/** Beta versions that are on by default: there was no stable one when beta versions were first switched off. */
const LEGACY_BETA: ReadonlySet<string> = new Set(['flowcontrol.apiserver.k8s.io/v1beta3']);

/** The kinds without a namespace, of those that are not kept. */
const CLUSTER_KINDS: ReadonlySet<string> = new Set(
  [
    'APIService CertificateSigningRequest ClusterRole ClusterRoleBinding ClusterTrustBundle ComponentStatus CustomResourceDefinition',
    'FlowSchema IPAddress IngressClass PriorityLevelConfiguration ResourcePoolStatusRequest SelfSubjectAccessReview SelfSubjectReview',
    'SelfSubjectRulesReview ServiceCIDR StorageVersion StorageVersionMigration SubjectAccessReview TokenReview VolumeAttributesClass',
  ].flatMap((kinds) => kinds.split(' ')),
);

const GROUPS: ReadonlySet<string> = new Set([...Object.keys(SERVED).map(groupOf), 'extensions']);

/** Whether the objects of a kind have a namespace, in any version of Kubernetes that has the kind. */
export function kindScope(apiVersion: string, kind: string): KindScope {
  const kept = kindOf(apiVersion, kind);
  const info = kept?.isExtension === true && kept.kind !== 'PodGroup' ? undefined : kept;
  const isKnown = kept !== undefined || entryOf(apiVersion, kind) !== undefined;
  return { namespaced: kept?.namespaced ?? (isKnown ? !CLUSTER_KINDS.has(kind) : undefined), info };
}

/** How the API server of a cluster serves a kind. */
export function servingOf(apiVersion: string, kind: string, { minor, featureGates }: KubernetesRules): Serving {
  if (!GROUPS.has(groupOf(apiVersion))) return 'custom';
  const found = entryOf(apiVersion, kind);
  if (found === undefined || minor < found.since || minor >= found.before) return 'gone';
  if (!/v\d+(?:alpha|beta)/.test(apiVersion) || LEGACY_BETA.has(apiVersion)) return 'served';
  const gate = found.gate?.(minor);
  return gate !== undefined && featureGates[gate] ? 'served' : 'off';
}

/** What an API server says of a kind before it looks at an object: nothing, that it does not serve it, or that this is not known. */
export interface KindCheck {
  /** The error of the client, as a sentence without its full stop. */
  readonly refusal?: string;
  /** Why it is not known whether the kind is served, as a sentence without its full stop. */
  readonly doubt?: string;
}

const SERVED_KIND: KindCheck = {};

/** Whether an API server serves a kind. Of extensions it is left to the cluster. */
export function checkKind(apiVersion: string, kind: string, { rules, unknownVersion }: ManifestServer): KindCheck {
  switch (servingOf(apiVersion, kind, rules)) {
    case 'off':
      return { doubt: servedWhereEnabled(apiVersion, rules.minor) };
    case 'gone':
      return unknownVersion === undefined
        ? { refusal: noMatch(apiVersion, kind) }
        : { doubt: `whether Kubernetes ${unknownVersion} serves ${kind} in ${apiVersion} is not known` };
    default:
      return SERVED_KIND;
  }
}

/** The first version of its API in which an API server serves a kind; undefined if it serves none, or the kind is not kept. */
export const servedVersionOf = (kind: string, rules: KubernetesRules): string | undefined =>
  isKeptKind(kind) ? versionServed(kind, 'served', rules) : undefined;

/** The version of its API in which an object of a kind is written: one that is served, or else one that can be; undefined if there is none. */
export const versionToWrite = (kind: KeptKind, rules: KubernetesRules): string | undefined =>
  versionServed(kind, 'served', rules) ?? versionServed(kind, 'off', rules);

const versionServed = (kind: KeptKind, serving: Serving, rules: KubernetesRules): string | undefined =>
  kindInfo(kind).apiVersions.find((apiVersion) => servingOf(apiVersion, kind, rules) === serving);

/** Named as in manifests; the kept name of a kind may be another. */
const entryOf = (apiVersion: string, kind: string): Served | undefined =>
  Object.hasOwn(SERVED, apiVersion) ? SERVED[apiVersion]!.find((one) => one.kind === kind) : undefined;

/** Why it is not known whether an API server takes an object, as a sentence without its full stop. */
const servedWhereEnabled = (apiVersion: string, minor: number): string =>
  `Kubernetes v1.${minor} serves ${apiVersion} only where it is enabled (--runtime-config)`;

/**
 * Why an object says nothing about where pods go, as a sentence without its full stop; undefined for kinds that the service reads, in any
 * version that Kubernetes has ever served.
 */
export function whyNotLookedAt(apiVersion: string, kind: string): string | undefined {
  const { info } = kindScope(apiVersion, kind);
  if (info !== undefined) return undefined;
  if (!GROUPS.has(groupOf(apiVersion))) {
    return `${kind} is not a kind of Kubernetes: what a controller makes of it is not known`;
  }
  return kind === 'HorizontalPodAutoscaler'
    ? 'it changes the number of replicas later, by metrics that are not known'
    : `the kind ${kind} does not decide where pods can run`;
}

/** The error of kubectl for a kind that the API server does not serve (k8s.io/apimachinery v0.36.2, pkg/api/meta, NoKindMatchError). */
const noMatch = (apiVersion: string, kind: string): string =>
  `no matches for kind "${kind}" in version "${apiVersion}"`;

/** The group of a version; empty for `v1`. */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}
