import { featureGateIn, type FeatureGateName } from './feature-gates.js';
import type { KubernetesVersion } from './versions.js';

/** The minor versions of Kubernetes 1 whose rules are known. */
export const OLDEST_MINOR = 31;
export const NEWEST_MINOR = 36;

/** The patch release of each minor version that the rules were compared with, oldest first. */
const RELEASES = ['v1.31.14', 'v1.32.13', 'v1.33.13', 'v1.34.9', 'v1.35.6', 'v1.36.2'] as const;

/** The feature gates that change a rule. */
const GATES = [
  'ClearingNominatedNodeNameAfterBinding',
  'ContainerRestartRules',
  'DRAAdminAccess',
  'DRAConsumableCapacity',
  'DRADeviceBindingConditions',
  'DRADeviceTaintRules',
  'DRADeviceTaints',
  'DRAExtendedResource',
  'DRAPartitionableDevices',
  'DRAPrioritizedList',
  'DRAResourceClaimDeviceStatus',
  'DynamicResourceAllocation',
  'EnvFiles',
  'GangScheduling',
  'GenericWorkload',
  'HostnameOverride',
  'ImageVolume',
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'MatchLabelKeysInPodAffinity',
  'MatchLabelKeysInPodTopologySpread',
  'MatchLabelKeysInPodTopologySpreadSelectorMerge',
  'MaxUnavailableStatefulSet',
  'MutablePodResourcesForSuspendedJobs',
  'NodeDeclaredFeatures',
  'NodeInclusionPolicyInPodTopologySpread',
  'PodDeletionCost',
  'PodLevelResources',
  'PodLifecycleSleepAction',
  'PodLifecycleSleepActionAllowZero',
  'ProcMountType',
  'RecursiveReadOnlyMounts',
  'RelaxedDNSSearchValidation',
  'RelaxedEnvironmentVariableValidation',
  'RestartAllContainersOnContainerExits',
  'SELinuxChangePolicy',
  'SchedulerPopFromBackoffQ',
  'SidecarContainers',
  'StrictIPCIDRValidation',
  'SupplementalGroupsPolicy',
  'TaintTolerationComparisonOperators',
  'UserNamespacesHostNetworkSupport',
  'UserNamespacesSupport',
  'VolumeAttributesClass',
] as const satisfies readonly FeatureGateName[];

export type RuleGate = (typeof GATES)[number];

export const RULE_GATES: readonly RuleGate[] = GATES;

/** The rules of one version of Kubernetes with its feature gates. One object for each, so that they can be compared by identity. */
export interface KubernetesRules {
  /** Equal for equal rules: `1.34`, or with what differs from the defaults of the version: `1.34+PodLevelResources=false`. */
  readonly id: string;
  /** `34` for 1.34. */
  readonly minor: number;
  /** The release that the rules were compared with: `v1.34.9`; for 1.34.0 and 1.34.1, whose message differs from it, `v1.34.1`. */
  readonly release: string;
  /** Whether the scheduler's message names the taint that a pod does not tolerate. */
  readonly messageNamesTaint: boolean;
  readonly featureGates: Readonly<Record<RuleGate, boolean>>;
  /** Gates whose value is not the default of the version, by name. */
  readonly changedGates: readonly RuleGate[];
}

/** Values of feature gates. Gates that change no rule are ignored. */
export type FeatureGates = Readonly<Record<string, boolean>>;

const made = new Map<string, KubernetesRules>();
/** Those with the gates of their version, by minor version and whether they name the taint: every question asks for them. */
const plain = new Map<number, KubernetesRules>();

/**
 * Source: k8s.io/kubernetes v1.34.1 and v1.34.2, pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go, `Filter`: the
 * message without the taint was first released in 1.35.0-alpha, and picked for 1.34.2.
 */
const namesTaint = (minor: number, patch: number): boolean => minor < 34 || (minor === 34 && patch < 2);
const LAST_TO_NAME_TAINTS = 'v1.34.1';

/** The first minor version whose components check dependencies. */
const DEPENDENCIES_SINCE = 35;

/**
 * The gates without which another cannot be on: a component that is started so exits. Only those that can be off, and of gates that can
 * decide about pods.
 *
 * Source: k8s.io/kubernetes v1.35.6 and v1.36.2, pkg/features/kube_features.go, `defaultKubernetesFeatureGateDependencies`;
 * k8s.io/component-base v0.36.2, featuregate/feature_gate.go, `unsafeSetFromMap`.
 */
const DEPENDENCIES: Readonly<Partial<Record<FeatureGateName, readonly FeatureGateName[]>>> = {
  DRADeviceBindingConditions: ['DRAResourceClaimDeviceStatus'],
  DRADeviceTaintRules: ['DRADeviceTaints'],
  DRAWorkloadResourceClaims: ['GenericWorkload'],
  GangScheduling: ['GenericWorkload'],
  InPlacePodLevelResourcesVerticalScaling: ['PodLevelResources', 'NodeDeclaredFeatures'],
  InPlacePodVerticalScalingInitContainers: ['NodeDeclaredFeatures'],
  MatchLabelKeysInPodTopologySpreadSelectorMerge: ['MatchLabelKeysInPodTopologySpread'],
  PodLevelResourceManagers: ['PodLevelResources'],
  ProcMountType: ['UserNamespacesSupport'],
  RestartAllContainersOnContainerExits: ['ContainerRestartRules', 'NodeDeclaredFeatures'],
  TopologyAwareWorkloadScheduling: ['GenericWorkload'],
  UserNamespacesHostNetworkSupport: ['UserNamespacesSupport'],
  WorkloadAwarePreemption: ['GangScheduling'],
  WorkloadWithJob: ['GenericWorkload'],
};

/** The gate that a gate depends on and that is off with these values; undefined if there is none. */
export function missingDependency(name: string, minor: number, given: FeatureGates): FeatureGateName | undefined {
  if (minor < DEPENDENCIES_SINCE || !Object.hasOwn(DEPENDENCIES, name)) return undefined;
  return DEPENDENCIES[name as FeatureGateName]!.find((needed) => !valueOf(needed, minor, given));
}

/** A gate that is on with these values and depends on one that is off; undefined if there is none. */
export const strandedDependent = (name: string, minor: number, given: FeatureGates): FeatureGateName | undefined =>
  minor < DEPENDENCIES_SINCE
    ? undefined
    : (Object.keys(DEPENDENCIES) as FeatureGateName[]).find(
        (gate) => DEPENDENCIES[gate]!.some((needed) => needed === name) && valueOf(gate, minor, given),
      );

function valueOf(gate: FeatureGateName, minor: number, given: FeatureGates): boolean {
  const known = featureGateIn(gate, minor);
  const byDefault = known?.enabledByDefault ?? false;
  return known === undefined || known.locked ? byDefault : (given[gate] ?? byDefault);
}

function rulesWith(minor: number, messageNamesTaint: boolean, given: FeatureGates): KubernetesRules {
  const changedGates: RuleGate[] = [];
  const gates = RULE_GATES.map((gate) => {
    const byDefault = featureGateIn(gate, minor)?.enabledByDefault ?? false;
    const value = valueOf(gate, minor, given) && missingDependency(gate, minor, given) === undefined;
    if (value !== byDefault) changedGates.push(gate);
    return [gate, value] as const;
  });
  const values = new Map(gates);
  const changes = changedGates.map((gate) => `+${gate}=${values.get(gate)}`).join('');
  const id = `1.${minor}${messageNamesTaint && minor >= 34 ? '.0' : ''}${changes}`;
  let rules = made.get(id);
  if (rules === undefined) {
    const featureGates = Object.fromEntries(gates) as Record<RuleGate, boolean>;
    const release = messageNamesTaint && minor === 34 ? LAST_TO_NAME_TAINTS : RELEASES[minor - OLDEST_MINOR]!;
    made.set(id, (rules = { id, minor, release, messageNamesTaint, featureGates, changedGates }));
  }
  return rules;
}

/**
 * The rules of a version of Kubernetes; those of the nearest known version if it is older or newer than all of them.
 *
 * @param gates values of gates, by default those of the version; of a gate that the version does not have or has locked they are ignored
 */
export function rulesOf(
  { major, minor, patch }: Pick<KubernetesVersion, 'major' | 'minor' | 'patch'>,
  gates?: FeatureGates,
): KubernetesRules {
  const nearest = major > 1 ? NEWEST_MINOR : Math.min(Math.max(minor, OLDEST_MINOR), NEWEST_MINOR);
  const names = namesTaint(nearest, patch);
  if (gates !== undefined) return rulesWith(nearest, names, gates);
  const key = nearest * 2 + (names ? 1 : 0);
  let rules = plain.get(key);
  if (rules === undefined) plain.set(key, (rules = rulesWith(nearest, names, {})));
  return rules;
}

/** The rules of the newest patch release of a minor version of Kubernetes 1; those of the nearest known version beyond them. */
export const rulesOfMinor = (minor: number): KubernetesRules => rulesOf({ major: 1, minor, patch: Infinity });

/** The rules that apply unless a cluster, a setting or a question says otherwise: those of the newest version. */
export const DEFAULT_RULES: KubernetesRules = rulesOfMinor(NEWEST_MINOR);

/** The rules of the releases that were compared, oldest first. */
export const KNOWN_RULES: readonly KubernetesRules[] = RELEASES.map((_, index) => rulesOfMinor(OLDEST_MINOR + index));

/** The same rules with other values of some gates. */
export const withGates = (
  { minor, messageNamesTaint, featureGates, changedGates }: KubernetesRules,
  gates: FeatureGates,
): KubernetesRules => {
  const former = Object.fromEntries(changedGates.map((gate) => [gate, featureGates[gate]]));
  return rulesWith(minor, messageNamesTaint, { ...former, ...gates });
};

/** The gates that decide how much of a node a pod holds. */
const COUNTING = [
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScaling',
  'PodLevelResources',
] as const satisfies readonly RuleGate[];
/** The first minor version in which host ports of sidecars count. */
export const SIDECAR_PORTS_SINCE = 33;

/** A number that is equal for rules under which a cluster's pods hold the same of its nodes. Images keep it: see `IMAGE_FORM`. */
export const countingOf = ({ minor, featureGates }: KubernetesRules): number =>
  COUNTING.reduce(
    (sum, gate, index) => sum + (featureGates[gate] ? 2 << index : 0),
    minor >= SIDECAR_PORTS_SINCE ? 1 : 0,
  );

/** Whether what a cluster's pods hold of its nodes is the same under two rules. */
export const countAlike = (one: KubernetesRules, other: KubernetesRules): boolean =>
  countingOf(one) === countingOf(other);
