/** What became of one predicate or priority. */
export interface PolicyMapping {
  readonly kind: 'predicate' | 'priority';
  readonly name: string;
  /** False of one that stands there without being named: a default, or a predicate that is always there. */
  readonly given: boolean;
  /** The plugins that Kubernetes 1.22 put in its place; none of a name that is unknown or does nothing. */
  readonly plugins: readonly string[];
  /** The plugins that do it today, or the same where none does. */
  readonly today: readonly string[];
  /** Of a priority. */
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

/** Names that stood for another predicate. */
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

/** The score plugin of every priority; those without a name of their own go by their plugin's. */
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

/** A priority that gave every node the same, and so nothing. */
export const EQUAL_PRIORITY = 'EqualPriority';

/**
 * What does the work of a plugin of 1.22 today. Limits of attached volumes are all NodeVolumeLimits', since volumes of cloud
 * providers count against their CSI drivers.
 */
const SUCCESSORS: ReadonlyMap<string, string> = new Map([
  ['EBSLimits', 'NodeVolumeLimits'],
  ['GCEPDLimits', 'NodeVolumeLimits'],
  ['AzureDiskLimits', 'NodeVolumeLimits'],
  ['CinderLimits', 'NodeVolumeLimits'],
]);

export const todayOf = (plugin: string): string => SUCCESSORS.get(plugin) ?? plugin;

/** The scoring strategy of NodeResourcesFit that scores as a plugin of 1.22 did. */
export const STRATEGY_OF: ReadonlyMap<string, string> = new Map([
  ['NodeResourcesLeastAllocated', 'LeastAllocated'],
  ['NodeResourcesMostAllocated', 'MostAllocated'],
  ['RequestedToCapacityRatio', 'RequestedToCapacityRatio'],
]);
