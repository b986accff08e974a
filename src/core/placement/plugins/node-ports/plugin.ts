import type { InTreePlugin } from '../../in-tree-plugin.js';
import { NAME, nodePorts } from './node-ports.js';

export const nodePortsPlugin = {
  name: NAME,
  extensionPoints: ['preFilter', 'filter'],
  filter: {
    plugin: nodePorts,
    dependsOn: ['pods'],
    readsOfPod: ({ spec }) => [spec.containers, spec.initContainers, spec.hostNetwork],
  },
} satisfies InTreePlugin;
