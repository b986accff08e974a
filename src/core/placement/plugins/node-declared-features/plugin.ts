import type { InTreePlugin } from '../../in-tree-plugin.js';
import { NAME, neededFeatures, nodeDeclaredFeatures } from './node-declared-features.js';

export const nodeDeclaredFeaturesPlugin = {
  name: NAME,
  extensionPoints: ['preFilter', 'filter'],
  filter: {
    plugin: nodeDeclaredFeatures,
    dependsOn: ['node'],
    readsOfPod: ({ spec }) => [spec.containers, spec.initContainers, spec.hostNetwork, spec.hostUsers],
    signPod: ({ pod }) =>
      neededFeatures(pod)
        .map(({ feature }) => feature)
        .join(),
  },
} satisfies InTreePlugin;
