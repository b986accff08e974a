import { dynamicResourcesScore } from '../../placement/plugins/dynamic-resources/score.js';
import { imageLocalityScore } from '../../placement/plugins/image-locality/score.js';
import { interPodAffinityScore } from '../../placement/plugins/inter-pod-affinity/score.js';
import { nodeAffinityScore } from '../../placement/plugins/node-affinity/score.js';
import { nodeResourcesBalancedAllocationScore } from '../../placement/plugins/node-resources-balanced-allocation/score.js';
import { nodeResourcesFitScore } from '../../placement/plugins/node-resources-fit/score.js';
import { podTopologySpreadScore } from '../../placement/plugins/pod-topology-spread/score.js';
import { taintTolerationScore } from '../../placement/plugins/taint-toleration/score.js';
import type { WeightedScore } from '../../placement/rank-nodes.js';
import type { ScorePlugin } from '../../placement/score-plugin.js';

/** The weight of each score; 0 if it is not in the profile. */
export interface Weights {
  readonly taints: number;
  readonly nodeAffinity: number;
  readonly fit: number;
  readonly balance: number;
  readonly images: number;
  readonly spread: number;
  readonly podAffinity: number;
}

const PLUGINS: Readonly<Record<keyof Weights, ScorePlugin>> = {
  taints: taintTolerationScore,
  nodeAffinity: nodeAffinityScore,
  fit: nodeResourcesFitScore,
  balance: nodeResourcesBalancedAllocationScore,
  images: imageLocalityScore,
  spread: podTopologySpreadScore,
  podAffinity: interPodAffinityScore,
};

/** The weights of a profile; undefined if it has a score that is not listed here, or a negative weight. */
export function weightsOf(scores: readonly WeightedScore[]): Weights | undefined {
  // A run handles only pods without claims, which DynamicResources does not score.
  const known = [...Object.values(PLUGINS), dynamicResourcesScore];
  if (!scores.every(({ plugin, weight }) => known.includes(plugin) && weight >= 0)) return undefined;
  const weight = (name: keyof Weights): number => scores.find(({ plugin }) => plugin === PLUGINS[name])?.weight ?? 0;
  return {
    taints: weight('taints'),
    nodeAffinity: weight('nodeAffinity'),
    fit: weight('fit'),
    balance: weight('balance'),
    images: weight('images'),
    spread: weight('spread'),
    podAffinity: weight('podAffinity'),
  };
}
