import type { ExtensionPoint } from '../placement/extension-point.js';
import { inTreePlugin } from '../placement/plugins/in-tree-plugins.js';

/** The points that one of Kubernetes' own plugins implements; undefined of any other plugin. */
export const pointsOf = (plugin: string): readonly ExtensionPoint[] | undefined =>
  inTreePlugin(plugin)?.extensionPoints;

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
