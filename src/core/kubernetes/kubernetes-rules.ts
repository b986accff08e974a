/** The minor versions of Kubernetes 1 whose rules are known. */
export const OLDEST_MINOR = 31;
export const NEWEST_MINOR = 36;

/** The patch release of each minor version that the rules were compared with, oldest first. */
const RELEASES = ['v1.31.14', 'v1.32.13', 'v1.33.13', 'v1.34.9', 'v1.35.6', 'v1.36.2'] as const;

/**
 * The first minor version in which a feature gate is on by default; Infinity for one that is off in all of them.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/features/kube_features.go, `defaultVersionedKubernetesFeatureGates`.
 */
const ON_SINCE = {
  ClearingNominatedNodeNameAfterBinding: 35,
  ContainerRestartRules: 35,
  DRADeviceTaintRules: Infinity,
  DRAExtendedResource: 36,
  DynamicResourceAllocation: 34,
  GangScheduling: Infinity,
  GenericWorkload: Infinity,
  InPlacePodLevelResourcesVerticalScaling: 36,
  InPlacePodVerticalScaling: 33,
  InPlacePodVerticalScalingInitContainers: 36,
  NodeDeclaredFeatures: 36,
  PodLevelResources: 34,
  SchedulerPopFromBackoffQ: 33,
  VolumeAttributesClass: 34,
} as const;

export type FeatureGate = keyof typeof ON_SINCE;

/** The rules of one minor version of Kubernetes, with every feature gate at its default. One object for each version. */
export interface KubernetesRules {
  /** `34` for 1.34. */
  readonly minor: number;
  /** The release that the rules were compared with: `v1.34.9`. */
  readonly release: string;
  readonly featureGates: Readonly<Record<FeatureGate, boolean>>;
}

const KNOWN: readonly KubernetesRules[] = RELEASES.map((release, index): KubernetesRules => {
  const minor = OLDEST_MINOR + index;
  const gates = Object.entries(ON_SINCE).map(([gate, since]) => [gate, minor >= since] as const);
  return { minor, release, featureGates: Object.fromEntries(gates) as Record<FeatureGate, boolean> };
});

/** The rules that apply unless a cluster, a setting or a question says otherwise: those of the newest version. */
export const DEFAULT_RULES: KubernetesRules = KNOWN.at(-1)!;

/** The rules of a minor version of Kubernetes 1; those of the nearest known version if it is older or newer than all of them. */
export const rulesOfMinor = (minor: number): KubernetesRules =>
  KNOWN[Math.min(Math.max(minor, OLDEST_MINOR), NEWEST_MINOR) - OLDEST_MINOR]!;

/** The releases whose rules are known, oldest first. */
export const KNOWN_RULES: readonly KubernetesRules[] = KNOWN;

const withTaintRules = new Map<KubernetesRules, KubernetesRules>();
const SINCE_OF_TAINT_RULES = 33;

/**
 * The rules with the gate DRADeviceTaintRules set; the same object each time. The gate does not exist before 1.33, where it was a part of
 * DRADeviceTaints.
 */
export function withDeviceTaintRules(rules: KubernetesRules, wanted: boolean): KubernetesRules {
  const isOn = wanted && rules.minor >= SINCE_OF_TAINT_RULES;
  if (rules.featureGates.DRADeviceTaintRules === isOn) return rules;
  let set = withTaintRules.get(rules);
  if (set === undefined) {
    set = { ...rules, featureGates: { ...rules.featureGates, DRADeviceTaintRules: isOn } };
    withTaintRules.set(rules, set);
  }
  return set;
}

/** Gates that do not change what a cluster's pods hold: of devices, and of groups. */
const NOT_OF_AMOUNTS = ['DRADeviceTaintRules', 'GangScheduling', 'GenericWorkload'];

/** Whether what a cluster's pods hold is the same under two rules. */
export const countAlike = (one: KubernetesRules, other: KubernetesRules): boolean =>
  one.minor === other.minor &&
  Object.entries(one.featureGates).every(
    ([gate, isOn]) => NOT_OF_AMOUNTS.includes(gate) || other.featureGates[gate as FeatureGate] === isOn,
  );
