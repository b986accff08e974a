import type { InTreePlugin } from '../../in-tree-plugin.js';
import { signVolumes } from '../../volumes/sign-volumes.js';
import { NAME, volumeRestrictions } from './volume-restrictions.js';

export const volumeRestrictionsPlugin = {
  name: NAME,
  extensionPoints: ['preFilter', 'filter'],
  filter: { plugin: volumeRestrictions, dependsOn: ['pods', 'claims'], signPod: signVolumes },
} satisfies InTreePlugin;
