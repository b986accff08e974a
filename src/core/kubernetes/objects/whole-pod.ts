import type { Manifest, ManifestMeta } from './manifest.js';
import type { Int64, IntOrString, QuantityString } from './meta.js';
import type { Container, Pod, PodSpec, Profile, Volume } from './pod.js';
import type { PersistentVolumeClaimSpec } from './storage.js';

/**
 * A pod decoded whole: with those fields that a stored pod lacks and the API server's validation reads. Other fields that the
 * decoder kept are present, too, but not declared.
 */
export type WholePod = Manifest<Omit<Pod, 'spec'>> & { readonly spec: WholePodSpec };

export interface WholePodSpec extends Omit<PodSpec, 'volumes'> {
  readonly automountServiceAccountToken?: boolean;
  readonly containers: readonly WholeContainer[];
  readonly initContainers?: readonly WholeContainer[];
  readonly ephemeralContainers?: readonly WholeEphemeralContainer[];
  readonly volumes?: readonly WholeVolume[];
  readonly dnsConfig?: DnsConfig;
  readonly dnsPolicy?: string;
  readonly enableServiceLinks?: boolean;
  readonly hostAliases?: readonly { readonly ip?: string; readonly hostnames?: readonly string[] }[];
  readonly hostname?: string;
  readonly hostnameOverride?: string;
  readonly imagePullSecrets?: readonly { readonly name?: string }[];
  readonly readinessGates?: readonly { readonly conditionType?: string }[];
  readonly securityContext?: PodSecurityContext;
  /** The former name of `serviceAccountName`. */
  readonly serviceAccount?: string;
  readonly setHostnameAsFQDN?: boolean;
  readonly shareProcessNamespace?: boolean;
  readonly subdomain?: string;
}

export interface DnsConfig {
  readonly nameservers?: readonly string[];
  readonly searches?: readonly string[];
  readonly options?: readonly { readonly name?: string; readonly value?: string }[];
}

export interface RestartRule {
  readonly action: string;
  readonly exitCodes?: { readonly operator?: string; readonly values?: readonly number[] };
}

export interface WholeContainer extends Container {
  readonly restartPolicyRules?: readonly RestartRule[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFromSource[];
  readonly imagePullPolicy?: string;
  readonly lifecycle?: Lifecycle;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly securityContext?: SecurityContext;
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: string;
  readonly volumeDevices?: readonly VolumeDevice[];
  readonly volumeMounts?: readonly VolumeMount[];
}

/** The `name` may be absent, because all fields are decoded without defaults. */
export interface WholeEphemeralContainer extends Omit<WholeContainer, 'name'> {
  readonly name?: string;
  readonly targetContainerName?: string;
}

/** The action of a probe or a hook; one member is set. */
export interface Handler {
  readonly exec?: { readonly command?: readonly string[] };
  readonly httpGet?: HttpGetAction;
  readonly tcpSocket?: { readonly host?: string; readonly port?: IntOrString };
  readonly grpc?: { readonly port?: number };
  readonly sleep?: { readonly seconds?: Int64 };
}

export interface HttpGetAction {
  readonly host?: string;
  readonly path?: string;
  readonly port?: IntOrString;
  readonly scheme?: string;
  readonly httpHeaders?: readonly { readonly name?: string }[];
}

export interface Probe extends Handler {
  readonly initialDelaySeconds?: number;
  readonly timeoutSeconds?: number;
  readonly periodSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
  readonly terminationGracePeriodSeconds?: Int64;
}

export interface Lifecycle {
  readonly postStart?: Handler;
  readonly preStop?: Handler;
  readonly stopSignal?: string;
}

export interface FieldRef {
  readonly apiVersion?: string;
  readonly fieldPath?: string;
}

export interface ResourceFieldRef {
  readonly containerName?: string;
  readonly resource?: string;
  readonly divisor?: QuantityString;
}

export interface KeySelector {
  readonly name?: string;
  readonly key?: string;
}

export interface EnvVar {
  readonly name?: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: FieldRef;
    readonly resourceFieldRef?: ResourceFieldRef;
    readonly configMapKeyRef?: KeySelector;
    readonly secretKeyRef?: KeySelector;
    readonly fileKeyRef?: { readonly key?: string; readonly volumeName?: string; readonly path?: string };
  };
}

export interface EnvFromSource {
  readonly prefix?: string;
  readonly configMapRef?: { readonly name?: string };
  readonly secretRef?: { readonly name?: string };
}

export interface VolumeMount {
  readonly name?: string;
  readonly mountPath?: string;
  readonly subPath?: string;
  readonly subPathExpr?: string;
  readonly readOnly?: boolean;
  readonly recursiveReadOnly?: string;
  readonly mountPropagation?: string;
}

export interface VolumeDevice {
  readonly name?: string;
  readonly devicePath?: string;
}

export type { Profile } from './pod.js';

export interface WindowsOptions {
  readonly gmsaCredentialSpecName?: string;
  readonly gmsaCredentialSpec?: string;
  readonly runAsUserName?: string;
  readonly hostProcess?: boolean;
}

export interface SELinuxOptions {
  readonly level?: string;
  readonly role?: string;
  readonly type?: string;
  readonly user?: string;
}

export interface SecurityContext {
  readonly allowPrivilegeEscalation?: boolean;
  readonly appArmorProfile?: Profile;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  readonly privileged?: boolean;
  readonly procMount?: string;
  readonly readOnlyRootFilesystem?: boolean;
  readonly runAsGroup?: Int64;
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: Int64;
  readonly seLinuxOptions?: SELinuxOptions;
  readonly seccompProfile?: Profile;
  readonly windowsOptions?: WindowsOptions;
}

export interface PodSecurityContext {
  readonly appArmorProfile?: Profile;
  readonly fsGroup?: Int64;
  readonly fsGroupChangePolicy?: string;
  readonly runAsGroup?: Int64;
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: Int64;
  readonly seLinuxChangePolicy?: string;
  readonly seLinuxOptions?: SELinuxOptions;
  readonly seccompProfile?: Profile;
  readonly supplementalGroups?: readonly Int64[];
  readonly supplementalGroupsPolicy?: string;
  readonly sysctls?: readonly { readonly name?: string; readonly value?: string }[];
  readonly windowsOptions?: WindowsOptions;
}

/** An item of a Secret or ConfigMap that is projected to a file. */
export interface KeyToPath {
  readonly key?: string;
  readonly path?: string;
  readonly mode?: number;
}

export interface DownwardFile {
  readonly path?: string;
  readonly fieldRef?: FieldRef;
  readonly resourceFieldRef?: ResourceFieldRef;
  readonly mode?: number;
}

export interface ProjectedSource {
  readonly secret?: { readonly name?: string; readonly items?: readonly KeyToPath[] };
  readonly configMap?: { readonly name?: string; readonly items?: readonly KeyToPath[] };
  readonly downwardAPI?: { readonly items?: readonly DownwardFile[] };
  readonly serviceAccountToken?: { readonly path?: string; readonly expirationSeconds?: Int64 };
}

type SecretSource = 'cinder' | 'csi' | 'iscsi' | 'rbd';
type PresentSource = 'azureFile' | 'cephfs' | 'flexVolume' | 'gitRepo' | 'nfs' | 'scaleIO' | 'storageos';

interface SecretRef {
  readonly secretRef?: { readonly name?: string };
}

/** Of the sources that nothing here reads, only that they are there is known. */
export interface WholeVolume extends Omit<Volume, 'hostPath' | 'ephemeral' | SecretSource | PresentSource> {
  readonly hostPath?: { readonly path?: string; readonly type?: string };
  readonly ephemeral?: {
    readonly volumeClaimTemplate?: {
      readonly metadata?: Partial<ManifestMeta>;
      readonly spec?: PersistentVolumeClaimSpec;
    };
  };
  readonly secret?: {
    readonly secretName?: string;
    readonly defaultMode?: number;
    readonly items?: readonly KeyToPath[];
  };
  readonly configMap?: { readonly name?: string; readonly defaultMode?: number; readonly items?: readonly KeyToPath[] };
  readonly downwardAPI?: { readonly defaultMode?: number; readonly items?: readonly DownwardFile[] };
  readonly projected?: { readonly defaultMode?: number; readonly sources?: readonly ProjectedSource[] };
  readonly azureFile?: { readonly secretName?: string };
  readonly cephfs?: SecretRef;
  readonly cinder?: Volume['cinder'] & SecretRef;
  readonly csi?: Volume['csi'] & { readonly nodePublishSecretRef?: { readonly name?: string } };
  readonly flexVolume?: SecretRef;
  readonly iscsi?: Volume['iscsi'] & SecretRef;
  readonly rbd?: Volume['rbd'] & SecretRef;
  readonly scaleIO?: SecretRef;
  readonly storageos?: SecretRef;
  readonly nfs?: { readonly server?: string; readonly path?: string };
  readonly image?: { readonly reference?: string; readonly pullPolicy?: string };
  readonly gitRepo?: { readonly repository?: string; readonly directory?: string };
}
