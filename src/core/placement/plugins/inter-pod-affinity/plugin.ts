import type { InTreePlugin } from '../../in-tree-plugin.js';
import { interPodAffinity, NAME } from './inter-pod-affinity.js';
import { interPodAffinityScore } from './score.js';

export const interPodAffinityPlugin = {
  name: NAME,
  extensionPoints: ['preFilter', 'filter', 'preScore', 'score'],
  defaultWeight: 2,
  filter: {
    plugin: interPodAffinity,
    dependsOn: ['node', 'pods'],
    readsOfPod: ({ metadata, spec }) => [metadata, spec.affinity?.podAffinity, spec.affinity?.podAntiAffinity],
  },
  score: { plugin: interPodAffinityScore },
} satisfies InTreePlugin;
