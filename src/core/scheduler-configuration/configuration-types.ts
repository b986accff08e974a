import type { Int64 } from '../kubernetes/objects/meta.js';
import type { JsonObject, JsonValue } from '../json/json-value.js';
import type { ExtensionPoint } from '../placement/extension-point.js';
import type { ArgumentsOwner } from '../placement/plugin-arguments.js';

/**
 * `KubeSchedulerConfiguration` of kubescheduler.config.k8s.io/v1 as written and decoded: unset fields are absent,
 * durations are nanoseconds.
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

/** The arguments of one plugin: decoded if Kubernetes has the plugin, or unchanged for an out-of-tree plugin. */
export type PluginConfig =
  | { readonly name: ArgumentsOwner; readonly known: true; readonly args: JsonObject }
  | { readonly name: string; readonly known: false; readonly args: JsonValue | undefined };

/**
 * A profile after defaulting: the enabled and disabled plugins of every point, and arguments for every plugin that has
 * some.
 */
export interface DefaultedProfile {
  readonly schedulerName: string;
  readonly percentageOfNodesToScore?: number;
  readonly plugins: Readonly<Record<PluginsKey, DefaultedPluginSet>>;
  readonly pluginConfig: readonly PluginConfig[];
}

/** Undefined for a nil slice in Go, which shows in errors. */
export interface DefaultedPluginSet {
  readonly enabled: readonly WeightedName[] | undefined;
  readonly disabled: readonly WeightedName[] | undefined;
}

/** A weight of 0 means that it was not set. */
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
