import { rulesOfGates, type TolerationGates } from '../../toleration.js';

/** What an update may contain because the stored pod, which may be older than a rule, already has it. */
export interface PodLeniency {
  readonly anyDeletionCost: boolean;
  readonly anySelectorValues: boolean;
  readonly anyNodeAffinityValues: boolean;
  readonly anySpreadSelector: boolean;
  /** Whether `matchLabelKeys` of spread constraints count as not merged into the selector. */
  readonly spreadKeysApart: boolean;
  /** Amounts of huge pages that are not multiples of the page size. */
  readonly brokenPages: boolean;
  /** `RestartContainer` in the resize policy of an init container that is not a sidecar. */
  readonly anyInitResizePolicy: boolean;
  /** Rules of containers that restart all containers, and rules of sidecars. */
  readonly restartsAll: boolean;
  /** Hooks that sleep for zero seconds. */
  readonly zeroSleep: boolean;
  /** Variables whose values come from files. */
  readonly envFiles: boolean;
  /** Names of variables with any printable ASCII characters but an equals sign. */
  readonly relaxedEnvNames: boolean;
  /** Search paths with underscores, and a single dot. */
  readonly relaxedSearches: boolean;
  /** The host's network for a pod with a user namespace of its own. */
  readonly ownUsersOnHostNetwork: boolean;
  /** Block devices for a pod with a user namespace of its own. */
  readonly ownUsersOfDevices: boolean;
  readonly gates: TolerationGates;
}

const strict = new WeakMap<TolerationGates, PodLeniency>();

/** No leniency, for a new pod. */
export function strictly(gates: TolerationGates): PodLeniency {
  let leniency = strict.get(gates);
  if (leniency === undefined) strict.set(gates, (leniency = strictUnder(gates)));
  return leniency;
}

function strictUnder(gates: TolerationGates): PodLeniency {
  const { minor, featureGates } = rulesOfGates(gates);
  return {
    ...NOTHING,
    anyDeletionCost: !featureGates.PodDeletionCost,
    // `AllowInvalidLabelValueInRequiredNodeAffinity` is new in 1.33, the rule about init containers in 1.36.
    anyNodeAffinityValues: minor < 33,
    anyInitResizePolicy: minor < 36,
    restartsAll: featureGates.RestartAllContainersOnContainerExits,
    zeroSleep: featureGates.PodLifecycleSleepActionAllowZero,
    envFiles: featureGates.EnvFiles,
    relaxedEnvNames: featureGates.RelaxedEnvironmentVariableValidation,
    relaxedSearches: featureGates.RelaxedDNSSearchValidation,
    ownUsersOnHostNetwork: featureGates.UserNamespacesHostNetworkSupport,
    ownUsersOfDevices: minor < 34,
    spreadKeysApart: !featureGates.MatchLabelKeysInPodTopologySpreadSelectorMerge,
    gates,
  };
}

const NOTHING = {
  anySelectorValues: false,
  anySpreadSelector: false,
  brokenPages: false,
};
