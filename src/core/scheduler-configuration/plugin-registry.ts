import type { ExtensionPoint } from '../placement/extension-point.js';
import { inTreePlugin } from '../placement/plugins/in-tree-plugins.js';

/** The extension points of an in-tree plugin; undefined for any other plugin. */
export const pointsOf = (plugin: string): readonly ExtensionPoint[] | undefined =>
  inTreePlugin(plugin)?.extensionPoints;

/** Former in-tree plugins. */
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
