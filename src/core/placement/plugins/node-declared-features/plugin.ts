import type { InTreePlugin } from '../../in-tree-plugin.js';
import { NAME, nodeDeclaredFeatures } from './node-declared-features.js';

export const nodeDeclaredFeaturesPlugin = {
  name: NAME,
  extensionPoints: ['preFilter', 'filter'],
  filter: {
    plugin: nodeDeclaredFeatures,
    dependsOn: ['node'],
    readsOfPod: ({ spec }) => [spec.containers, spec.initContainers, spec.hostNetwork, spec.hostUsers],
  },
} satisfies InTreePlugin;
