import type { LabelSelector } from '../kubernetes/objects/selectors.js';
import type { NodeAffinity, TopologySpreadConstraint } from '../kubernetes/objects/pod.js';

/** A resource that is scored, and how much it weighs. */
export interface WeightedResource {
  readonly name: string;
  readonly weight: number;
}

/** One corner of a broken line: 0 to 100 percent in use, and a score of 0 to 10. */
export interface UtilizationShapePoint {
  readonly utilization: number;
  readonly score: number;
}

export interface ScoringStrategy {
  readonly type: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio';
  readonly resources: readonly WeightedResource[];
  readonly requestedToCapacityRatio?: { readonly shape: readonly UtilizationShapePoint[] };
}

/**
 * What plugins are told by a profile: the parts of `KubeSchedulerConfiguration`'s plugin arguments that decide here, after
 * defaulting.
 *
 * Source: k8s.io/kube-scheduler v0.36.2, config/v1/types_pluginargs.go.
 */
export interface PluginArguments {
  readonly nodeResourcesFit: {
    readonly ignoredResources: readonly string[];
    readonly ignoredResourceGroups: readonly string[];
    readonly scoringStrategy: ScoringStrategy;
  };
  readonly nodeResourcesBalancedAllocation: { readonly resources: readonly WeightedResource[] };
  readonly nodeAffinity: { readonly addedAffinity?: NodeAffinity };
  readonly podTopologySpread: {
    readonly defaultingType: 'System' | 'List';
    /** Without selectors: a default constraint counts the pods of the same Service, ReplicaSet or StatefulSet. */
    readonly defaultConstraints: readonly (TopologySpreadConstraint & { readonly labelSelector?: LabelSelector })[];
  };
  readonly interPodAffinity: {
    readonly hardPodAffinityWeight: number;
    readonly ignorePreferredTermsOfExistingPods: boolean;
  };
}

const CPU_AND_MEMORY: readonly WeightedResource[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
];

/** As `SetDefaults_…Args` leave arguments that nobody has set: k8s.io/kubernetes v1.36.2, pkg/scheduler/apis/config/v1/defaults.go. */
export const DEFAULT_ARGUMENTS: PluginArguments = {
  nodeResourcesFit: {
    ignoredResources: [],
    ignoredResourceGroups: [],
    scoringStrategy: { type: 'LeastAllocated', resources: CPU_AND_MEMORY },
  },
  nodeResourcesBalancedAllocation: { resources: CPU_AND_MEMORY },
  nodeAffinity: {},
  podTopologySpread: { defaultingType: 'System', defaultConstraints: [] },
  interPodAffinity: { hardPodAffinityWeight: 1, ignorePreferredTermsOfExistingPods: false },
};
