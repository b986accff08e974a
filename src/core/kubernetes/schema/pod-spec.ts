import { GROUP_FIELDS } from '../disabled-fields.js';
import type { PodResourceClaim, PodSecurity, PodSpec, PodTemplateSpec } from '../objects/pod.js';
import { affinity, topologySpreadConstraint } from './affinity.js';
import {
  appArmorProfile,
  container,
  ephemeralContainer,
  seLinuxOptions,
  seccompProfile,
  windowsSecurityContextOptions,
} from './container.js';
import { described, list, map, object, stringMap } from './containers.js';
import { localObjectReference, resourceRequirements, templateMeta, toleration } from './metadata.js';
import { boolean, int32, int64, onlyIn, quantity, since, string } from './scalars.js';
import { required } from './schema.js';
import { volume } from './volume.js';

/** `v1.PodDNSConfigOption`. */
const podDNSConfigOption = described({
  name: string,
  value: string,
});

/** `v1.PodDNSConfig`. */
const podDNSConfig = described({
  nameservers: list(string),
  options: list(podDNSConfigOption),
  searches: list(string),
});

/** `v1.HostAlias`. */
const hostAlias = described({
  hostnames: list(string),
  ip: string,
});

/** `v1.PodOS`. */
const podOS = object<NonNullable<PodSpec['os']>>({
  name: required(string),
});

/** `v1.PodReadinessGate`. */
const podReadinessGate = described({
  conditionType: string,
});

/** `v1.PodResourceClaim`. */
const podResourceClaim = object<PodResourceClaim>({
  name: required(string),
  resourceClaimName: string,
  resourceClaimTemplateName: string,
});

/** `v1.PodSchedulingGate`. */
const podSchedulingGate = object<NonNullable<PodSpec['schedulingGates']>[number]>({
  name: required(string),
});

/** `v1.PodSchedulingGroup`. */
const podSchedulingGroup = object<NonNullable<PodSpec['schedulingGroup']>>({
  podGroupName: string,
});

/** `v1.Sysctl`. */
const sysctl = object<NonNullable<PodSecurity['sysctls']>[number]>(
  {
    name: string,
  },
  {
    value: string,
  },
);

/** `v1.PodSecurityContext`. Kept even without members: the API server sets it, so that it says that the others are kept. */
const podSecurityContext = object<PodSecurity>(
  {
    appArmorProfile,
    runAsNonRoot: boolean,
    runAsUser: int64,
    seLinuxOptions,
    seccompProfile,
    sysctls: list(sysctl),
    windowsOptions: windowsSecurityContextOptions,
  },
  {
    fsGroup: int64,
    fsGroupChangePolicy: string,
    runAsGroup: int64,
    seLinuxChangePolicy: since(32, string),
    supplementalGroups: list(int64),
    supplementalGroupsPolicy: string,
  },
);

/** `v1.WorkloadReference` of 1.35. */
const workloadReference = object<NonNullable<PodSpec['workloadRef']>>({
  name: string,
  podGroup: string,
  podGroupReplicaKey: string,
});

/** `v1.PodSpec`. */
export const podSpec = object<PodSpec>(
  {
    activeDeadlineSeconds: int64,
    affinity,
    containers: required(list(container)),
    hostIPC: boolean,
    hostNetwork: boolean,
    hostPID: boolean,
    hostUsers: boolean,
    initContainers: list(container),
    nodeName: string,
    nodeSelector: stringMap,
    os: podOS,
    overhead: map(quantity),
    preemptionPolicy: string,
    priority: int32,
    priorityClassName: string,
    resourceClaims: list(podResourceClaim),
    resources: since(32, resourceRequirements),
    restartPolicy: string,
    runtimeClassName: string,
    schedulerName: string,
    schedulingGates: list(podSchedulingGate),
    schedulingGroup: since(GROUP_FIELDS.schedulingGroup, podSchedulingGroup),
    securityContext: podSecurityContext,
    serviceAccountName: string,
    terminationGracePeriodSeconds: int64,
    tolerations: list(toleration),
    topologySpreadConstraints: list(topologySpreadConstraint),
    volumes: list(volume),
    workloadRef: onlyIn(GROUP_FIELDS.workloadRef, workloadReference),
  },
  {
    automountServiceAccountToken: boolean,
    dnsConfig: podDNSConfig,
    dnsPolicy: string,
    enableServiceLinks: boolean,
    ephemeralContainers: list(ephemeralContainer),
    hostAliases: list(hostAlias),
    hostname: string,
    hostnameOverride: since(34, string),
    imagePullSecrets: list(localObjectReference),
    readinessGates: list(podReadinessGate),
    serviceAccount: string,
    setHostnameAsFQDN: boolean,
    shareProcessNamespace: boolean,
    subdomain: string,
  },
);

/** `v1.PodTemplateSpec`. */
export const podTemplateSpec = object<PodTemplateSpec>({
  metadata: templateMeta,
  spec: required(podSpec),
});
