import type { InTreePlugin } from '../in-tree-plugin.js';
import { defaultPreemptionPlugin } from './default-preemption/plugin.js';
import { dynamicResourcesPlugin } from './dynamic-resources/plugin.js';
import { imageLocalityPlugin } from './image-locality/plugin.js';
import { interPodAffinityPlugin } from './inter-pod-affinity/plugin.js';
import { nodeAffinityPlugin } from './node-affinity/plugin.js';
import { nodeDeclaredFeaturesPlugin } from './node-declared-features/plugin.js';
import { nodeNamePlugin } from './node-name/plugin.js';
import { nodePortsPlugin } from './node-ports/plugin.js';
import { nodeResourcesBalancedAllocationPlugin } from './node-resources-balanced-allocation/plugin.js';
import { nodeResourcesFitPlugin } from './node-resources-fit/plugin.js';
import { nodeUnschedulablePlugin } from './node-unschedulable/plugin.js';
import { nodeVolumeLimitsPlugin } from './node-volume-limits/plugin.js';
import { podTopologySpreadPlugin } from './pod-topology-spread/plugin.js';
import { schedulingGatesPlugin } from './scheduling-gates/plugin.js';
import { taintTolerationPlugin } from './taint-toleration/plugin.js';
import { volumeBindingPlugin } from './volume-binding/plugin.js';
import { volumeRestrictionsPlugin } from './volume-restrictions/plugin.js';
import { volumeZonePlugin } from './volume-zone/plugin.js';

/**
 * Kubernetes' own plugins, in the order in which a profile calls them by default: a node's first failing filter is the one that its
 * aggregate message names.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/registry.go, `NewInTreeRegistry`, and
 * pkg/scheduler/apis/config/v1/default_plugins.go, with feature gates as they stand by default.
 */
export const IN_TREE_PLUGINS: readonly InTreePlugin[] = [
  schedulingGatesPlugin,
  { name: 'PrioritySort', extensionPoints: ['queueSort'] },
  nodeUnschedulablePlugin,
  nodeNamePlugin,
  taintTolerationPlugin,
  nodeAffinityPlugin,
  nodePortsPlugin,
  nodeResourcesFitPlugin,
  volumeRestrictionsPlugin,
  nodeVolumeLimitsPlugin,
  volumeBindingPlugin,
  volumeZonePlugin,
  podTopologySpreadPlugin,
  interPodAffinityPlugin,
  dynamicResourcesPlugin,
  defaultPreemptionPlugin,
  nodeResourcesBalancedAllocationPlugin,
  imageLocalityPlugin,
  { name: 'DefaultBinder', extensionPoints: ['bind'] },
  nodeDeclaredFeaturesPlugin,
  { name: 'GangScheduling', extensionPoints: ['preEnqueue', 'permit'], disabledByDefault: true },
  { name: 'TopologyPlacementGenerator', extensionPoints: ['placementGenerate'], disabledByDefault: true },
  { name: 'PodGroupPodsCount', extensionPoints: ['placementScore'], disabledByDefault: true },
];

const BY_NAME: ReadonlyMap<string, InTreePlugin> = new Map(IN_TREE_PLUGINS.map((plugin) => [plugin.name, plugin]));

/** One of Kubernetes' own plugins; undefined for any other. */
export const inTreePlugin = (name: string): InTreePlugin | undefined => BY_NAME.get(name);
