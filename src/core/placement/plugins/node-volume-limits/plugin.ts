import type { InTreePlugin } from '../../in-tree-plugin.js';
import { readsOfVolumes } from '../../reads-of-pod.js';
import { NAME, nodeVolumeLimits } from './node-volume-limits.js';

export const nodeVolumeLimitsPlugin = {
  name: NAME,
  extensionPoints: ['preFilter', 'filter'],
  filter: { plugin: nodeVolumeLimits, dependsOn: ['node', 'pods', 'claims'], readsOfPod: readsOfVolumes },
} satisfies InTreePlugin;
