import type { InTreePlugin } from '../../in-tree-plugin.js';
import { signVolumes } from '../../volumes/sign-volumes.js';
import { NAME, nodeVolumeLimits } from './node-volume-limits.js';

export const nodeVolumeLimitsPlugin = {
  name: NAME,
  extensionPoints: ['preFilter', 'filter'],
  filter: { plugin: nodeVolumeLimits, dependsOn: ['node', 'pods', 'claims'], signPod: signVolumes },
} satisfies InTreePlugin;
