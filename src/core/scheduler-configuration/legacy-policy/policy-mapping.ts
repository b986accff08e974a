/** The result for one predicate or priority. */
export interface PolicyMapping {
  readonly kind: 'predicate' | 'priority';
  readonly name: string;
  /** False for an entry that is not in the Policy: a default, or a mandatory predicate. */
  readonly given: boolean;
  /** The plugins that replaced it in Kubernetes 1.22; empty if the name is unknown or has no effect. */
  readonly plugins: readonly string[];
  /** The plugins that provide it today, or the same ones if none does. */
  readonly today: readonly string[];
  /** For a priority. */
  readonly weight?: number;
}

/**
 * The filter plugins of every predicate, in the order in which predicates run.
 *
 * Source: k8s.io/kubernetes v1.22, pkg/scheduler/framework/plugins/legacy_registry.go, `predicateOrdering` and
 * `registerPredicateConfigProducer`.
 */
export const PREDICATES: ReadonlyMap<string, readonly string[]> = new Map([
  ['CheckNodeUnschedulable', ['NodeUnschedulable']],
  ['GeneralPredicates', ['NodeResourcesFit', 'NodeName', 'NodePorts', 'NodeAffinity']],
  ['HostName', ['NodeName']],
  ['PodFitsHostPorts', ['NodePorts']],
  ['MatchNodeSelector', ['NodeAffinity']],
  ['PodFitsResources', ['NodeResourcesFit']],
  ['NoDiskConflict', ['VolumeRestrictions']],
  ['PodToleratesNodeTaints', ['TaintToleration']],
  ['CheckNodeLabelPresence', ['NodeLabel']],
  ['CheckServiceAffinity', ['ServiceAffinity']],
  ['MaxEBSVolumeCount', ['EBSLimits']],
  ['MaxGCEPDVolumeCount', ['GCEPDLimits']],
  ['MaxCSIVolumeCountPred', ['NodeVolumeLimits']],
  ['MaxAzureDiskVolumeCount', ['AzureDiskLimits']],
  ['MaxCinderVolumeCount', ['CinderLimits']],
  ['CheckVolumeBinding', ['VolumeBinding']],
  ['NoVolumeZoneConflict', ['VolumeZone']],
  ['EvenPodsSpread', ['PodTopologySpread']],
  ['MatchInterPodAffinity', ['InterPodAffinity']],
]);

/** Aliases of other predicates. */
export const PREDICATE_ALIASES: ReadonlyMap<string, string> = new Map([['PodFitsPorts', 'PodFitsHostPorts']]);

/** `mandatoryPredicates`. */
export const MANDATORY_PREDICATES: readonly string[] = ['PodToleratesNodeTaints', 'CheckNodeUnschedulable'];

/** `DefaultPredicates`. */
export const DEFAULT_PREDICATES: readonly string[] = [
  'NoVolumeZoneConflict',
  'MaxEBSVolumeCount',
  'MaxGCEPDVolumeCount',
  'MaxAzureDiskVolumeCount',
  'MaxCSIVolumeCountPred',
  'MatchInterPodAffinity',
  'NoDiskConflict',
  'GeneralPredicates',
  'PodToleratesNodeTaints',
  'CheckVolumeBinding',
  'CheckNodeUnschedulable',
  'EvenPodsSpread',
];

/** The score plugin of every priority; plugins without a priority name go by their own. */
export const PRIORITIES: ReadonlyMap<string, string> = new Map([
  ['BalancedResourceAllocation', 'NodeResourcesBalancedAllocation'],
  ['EvenPodsSpreadPriority', 'PodTopologySpread'],
  ['ImageLocalityPriority', 'ImageLocality'],
  ['InterPodAffinityPriority', 'InterPodAffinity'],
  ['LeastRequestedPriority', 'NodeResourcesLeastAllocated'],
  ['MostRequestedPriority', 'NodeResourcesMostAllocated'],
  ['NodeAffinityPriority', 'NodeAffinity'],
  ['NodePreferAvoidPodsPriority', 'NodePreferAvoidPods'],
  ['SelectorSpreadPriority', 'PodTopologySpread'],
  ['TaintTolerationPriority', 'TaintToleration'],
]);

export const PRIORITY_ALIASES: ReadonlyMap<string, string> = new Map([
  ['ServiceSpreadingPriority', 'SelectorSpreadPriority'],
]);

/** `DefaultPriorities`. */
export const DEFAULT_PRIORITIES: ReadonlyMap<string, number> = new Map([
  ['SelectorSpreadPriority', 1],
  ['InterPodAffinityPriority', 1],
  ['LeastRequestedPriority', 1],
  ['BalancedResourceAllocation', 1],
  ['NodePreferAvoidPodsPriority', 10000],
  ['NodeAffinityPriority', 1],
  ['TaintTolerationPriority', 1],
  ['ImageLocalityPriority', 1],
  ['EvenPodsSpreadPriority', 2],
]);

/** A priority that scored all nodes equally, so it had no effect. */
export const EQUAL_PRIORITY = 'EqualPriority';

/**
 * The successors of plugins of 1.22. NodeVolumeLimits enforces all limits of attached volumes, because volumes of cloud
 * providers count against their CSI drivers.
 */
const SUCCESSORS: ReadonlyMap<string, string> = new Map([
  ['EBSLimits', 'NodeVolumeLimits'],
  ['GCEPDLimits', 'NodeVolumeLimits'],
  ['AzureDiskLimits', 'NodeVolumeLimits'],
  ['CinderLimits', 'NodeVolumeLimits'],
]);

export const todayOf = (plugin: string): string => SUCCESSORS.get(plugin) ?? plugin;

/** The scoring strategy of NodeResourcesFit that is equivalent to a plugin of 1.22. */
export const STRATEGY_OF: ReadonlyMap<string, string> = new Map([
  ['NodeResourcesLeastAllocated', 'LeastAllocated'],
  ['NodeResourcesMostAllocated', 'MostAllocated'],
  ['RequestedToCapacityRatio', 'RequestedToCapacityRatio'],
]);
