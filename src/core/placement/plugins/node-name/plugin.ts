import type { InTreePlugin } from '../../in-tree-plugin.js';
import { NAME, nodeName } from './node-name.js';

export const nodeNamePlugin = {
  name: NAME,
  extensionPoints: ['filter'],
  filter: {
    plugin: nodeName,
    dependsOn: ['node'],
    readsOfPod: ({ spec }) => [spec.nodeName],
    signPod: ({ pod: { spec } }) => spec.nodeName ?? '',
  },
} satisfies InTreePlugin;
