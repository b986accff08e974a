import type { Int64 } from '../kubernetes/objects/meta.js';
import type { JsonObject, JsonValue } from '../json/json-value.js';
import type { NodeAffinity, TopologySpreadConstraint } from '../kubernetes/objects/pod.js';

/**
 * `KubeSchedulerConfiguration` of kubescheduler.config.k8s.io/v1 as it is written and decoded: what was not given is absent,
 * spans are nanoseconds.
 *
 * Source: k8s.io/kube-scheduler v0.36.2, config/v1/types.go.
 */
export interface KubeSchedulerConfiguration {
  readonly parallelism?: number;
  readonly leaderElection?: LeaderElection;
  readonly clientConnection?: { readonly burst?: number };
  readonly percentageOfNodesToScore?: number;
  readonly podInitialBackoffSeconds?: Int64;
  readonly podMaxBackoffSeconds?: Int64;
  readonly profiles?: readonly WrittenProfile[];
  readonly extenders?: readonly Extender[];
}

export interface LeaderElection {
  readonly leaderElect?: boolean;
  readonly leaseDuration?: bigint;
  readonly renewDeadline?: bigint;
  readonly retryPeriod?: bigint;
  readonly resourceLock?: string;
}

export interface WrittenProfile {
  readonly schedulerName?: string;
  readonly percentageOfNodesToScore?: number;
  readonly plugins?: Readonly<Partial<Record<PluginsKey, PluginSet>>>;
  readonly pluginConfig?: readonly { readonly name?: string; readonly args?: JsonValue }[];
}

/** The extension points, in the order in which a framework fills them (`getExtensionPoints`). */
export const EXTENSION_POINTS = [
  'preFilter',
  'filter',
  'postFilter',
  'reserve',
  'preScore',
  'score',
  'preBind',
  'bind',
  'postBind',
  'permit',
  'preEnqueue',
  'queueSort',
  'placementGenerate',
  'placementScore',
] as const;

export type ExtensionPoint = (typeof EXTENSION_POINTS)[number];
export type PluginsKey = ExtensionPoint | 'multiPoint';

export interface PluginSet {
  readonly enabled?: readonly EnabledPlugin[];
  readonly disabled?: readonly EnabledPlugin[];
}

export interface EnabledPlugin {
  readonly name?: string;
  readonly weight?: number;
}

export interface Extender {
  readonly urlPrefix?: string;
  readonly filterVerb?: string;
  readonly preemptVerb?: string;
  readonly prioritizeVerb?: string;
  readonly weight?: Int64;
  readonly bindVerb?: string;
  readonly enableHTTPS?: boolean;
  readonly tlsConfig?: {
    readonly insecure?: boolean;
    readonly caFile?: string;
    readonly caData?: string;
  };
  readonly managedResources?: readonly { readonly name?: string; readonly ignoredByScheduler?: boolean }[];
  readonly ignorable?: boolean;
}

export interface ResourceSpec {
  readonly name?: string;
  readonly weight?: Int64;
}

export interface ShapePoint {
  readonly utilization?: number;
  readonly score?: number;
}

/** The arguments of Kubernetes' own plugins, by the plugin's name. */
export interface WrittenArguments {
  readonly DefaultPreemption: {
    readonly minCandidateNodesPercentage?: number;
    readonly minCandidateNodesAbsolute?: number;
  };
  readonly DynamicResources: { readonly filterTimeout?: bigint; readonly bindingTimeout?: bigint };
  readonly InterPodAffinity: {
    readonly hardPodAffinityWeight?: number;
    readonly ignorePreferredTermsOfExistingPods?: boolean;
  };
  readonly NodeAffinity: { readonly addedAffinity?: NodeAffinity };
  readonly NodeResourcesBalancedAllocation: { readonly resources?: readonly ResourceSpec[] };
  readonly NodeResourcesFit: {
    readonly ignoredResources?: readonly string[];
    readonly ignoredResourceGroups?: readonly string[];
    readonly scoringStrategy?: WrittenScoringStrategy;
  };
  readonly PodTopologySpread: {
    readonly defaultConstraints?: readonly Partial<TopologySpreadConstraint>[];
    readonly defaultingType?: string;
  };
  readonly VolumeBinding: { readonly bindTimeoutSeconds?: Int64; readonly shape?: readonly ShapePoint[] };
}

export interface WrittenScoringStrategy {
  readonly type?: string;
  readonly resources?: readonly ResourceSpec[];
  readonly requestedToCapacityRatio?: { readonly shape?: readonly ShapePoint[] };
}

/** A plugin that Kubernetes knows arguments of. */
export type ArgumentsOwner = keyof WrittenArguments;

/** The arguments of one plugin: decoded and known, or of somebody else's plugin and kept as they are. */
export type PluginConfig =
  | { readonly name: ArgumentsOwner; readonly known: true; readonly args: JsonObject }
  | { readonly name: string; readonly known: false; readonly args: JsonValue | undefined };

/** A profile after defaulting: every point with what is enabled and disabled, and arguments for every plugin that has some. */
export interface DefaultedProfile {
  readonly schedulerName: string;
  readonly percentageOfNodesToScore?: number;
  readonly plugins: Readonly<Record<PluginsKey, DefaultedPluginSet>>;
  readonly pluginConfig: readonly PluginConfig[];
}

/** Undefined where Go's slice is nil, which shows in errors. */
export interface DefaultedPluginSet {
  readonly enabled: readonly WeightedName[] | undefined;
  readonly disabled: readonly WeightedName[] | undefined;
}

/** A weight of 0 is one that was not given. */
export interface WeightedName {
  readonly name: string;
  readonly weight: number;
}

export interface DefaultedConfiguration {
  readonly parallelism: number;
  readonly leaderElection: Required<LeaderElection>;
  readonly burst: number;
  readonly percentageOfNodesToScore: number;
  readonly podInitialBackoffSeconds: Int64;
  readonly podMaxBackoffSeconds: Int64;
  readonly profiles: readonly DefaultedProfile[];
  readonly extenders: readonly Extender[];
}
