import type { ExtensionPoint } from '../placement/extension-point.js';

/**
 * Kubernetes' own plugins, and the extension points that each implements.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/registry.go, `NewInTreeRegistry`.
 */
const IN_TREE: ReadonlyMap<string, readonly ExtensionPoint[]> = new Map<string, readonly ExtensionPoint[]>([
  ['SchedulingGates', ['preEnqueue']],
  ['PrioritySort', ['queueSort']],
  ['NodeUnschedulable', ['filter']],
  ['NodeName', ['filter']],
  ['TaintToleration', ['filter', 'preScore', 'score']],
  ['NodeAffinity', ['preFilter', 'filter', 'preScore', 'score']],
  ['NodePorts', ['preFilter', 'filter']],
  ['NodeResourcesFit', ['preFilter', 'filter', 'preScore', 'score']],
  ['VolumeRestrictions', ['preFilter', 'filter']],
  ['NodeVolumeLimits', ['preFilter', 'filter']],
  ['VolumeBinding', ['preFilter', 'filter', 'reserve', 'preBind', 'preScore', 'score']],
  ['VolumeZone', ['preFilter', 'filter']],
  ['PodTopologySpread', ['preFilter', 'filter', 'preScore', 'score']],
  ['InterPodAffinity', ['preFilter', 'filter', 'preScore', 'score']],
  ['DynamicResources', ['preEnqueue', 'preFilter', 'filter', 'postFilter', 'score', 'reserve', 'preBind']],
  ['DefaultPreemption', ['preEnqueue', 'postFilter']],
  ['NodeResourcesBalancedAllocation', ['preScore', 'score']],
  ['ImageLocality', ['score']],
  ['DefaultBinder', ['bind']],
  ['NodeDeclaredFeatures', ['preFilter', 'filter']],
  ['GangScheduling', ['preEnqueue', 'permit']],
  ['TopologyPlacementGenerator', ['placementGenerate']],
  ['PodGroupPodsCount', ['placementScore']],
]);

/** The points that one of Kubernetes' own plugins implements; undefined of any other plugin. */
export const pointsOf = (plugin: string): readonly ExtensionPoint[] | undefined => IN_TREE.get(plugin);

/** Plugins that were Kubernetes' own once, and no longer are. */
export const FORMER_PLUGINS: ReadonlySet<string> = new Set([
  'AzureDiskLimits',
  'CinderLimits',
  'EBSLimits',
  'GCEPDLimits',
  'NodeLabel',
  'NodePreferAvoidPods',
  'NodeResourcesLeastAllocated',
  'NodeResourcesMostAllocated',
  'RequestedToCapacityRatio',
  'SelectorSpread',
  'ServiceAffinity',
]);
