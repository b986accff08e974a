import { imageLocalityScore } from './plugins/image-locality/score.js';
import { interPodAffinityScore } from './plugins/inter-pod-affinity/score.js';
import { nodeAffinityScore } from './plugins/node-affinity/score.js';
import { nodeResourcesBalancedAllocationScore } from './plugins/node-resources-balanced-allocation/score.js';
import { nodeResourcesFitScore } from './plugins/node-resources-fit/score.js';
import { podTopologySpreadScore } from './plugins/pod-topology-spread/score.js';
import { taintTolerationScore } from './plugins/taint-toleration/score.js';
import type { WeightedScore } from './rank-nodes.js';

/**
 * The scores of the default profile, in the order in which Kubernetes v1.36 calls them.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/apis/config/v1/default_plugins.go.
 */
export const DEFAULT_SCORES: readonly WeightedScore[] = [
  { plugin: taintTolerationScore, weight: 3 },
  { plugin: nodeAffinityScore, weight: 2 },
  { plugin: nodeResourcesFitScore, weight: 1 },
  { plugin: podTopologySpreadScore, weight: 2 },
  { plugin: interPodAffinityScore, weight: 2 },
  { plugin: nodeResourcesBalancedAllocationScore, weight: 1 },
  { plugin: imageLocalityScore, weight: 1 },
];
