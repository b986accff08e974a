import type { InTreePlugin } from '../../in-tree-plugin.js';
import { readsOfVolumes } from '../../reads-of-pod.js';
import { NAME, volumeRestrictions } from './volume-restrictions.js';

export const volumeRestrictionsPlugin = {
  name: NAME,
  extensionPoints: ['preFilter', 'filter'],
  filter: { plugin: volumeRestrictions, dependsOn: ['pods', 'claims'], readsOfPod: readsOfVolumes },
} satisfies InTreePlugin;
